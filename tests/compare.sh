#!/usr/bin/env bash
# usage: compare.sh DMASIM: two results or folders of results, row by row; what CI reads of it.
set -u
dmasim=$1 failed=0 count=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
# expect STATUS 'OUTPUT' COMMAND...   (both streams)
expect() {
  local status=$1 output=$2 got rc
  shift 2
  got=$("$@" 2>&1) && rc=0 || rc=$?
  count=$((count + 1))
  if [ "$rc" != "$status" ] || [ "$got" != "$output" ]; then
    failed=$((failed + 1))
    printf 'FAILED %s\n  expected %s: %s\n  got      %s: %s\n' "$*" "$status" "$output" "$rc" "$got"
  fi
}
check() { # check NAME COMMAND...
  local name=$1
  shift
  count=$((count + 1))
  "$@" || { failed=$((failed + 1)); echo "FAILED $name"; }
}
compare() { "$dmasim" compare "$@"; }
result() { # result SCENARIO CONFIG ROWS
  printf '{"schema": "dmasim-result/1", "scenario": "%s", "config": {%s}, "config_hash": "%s", "rows": [%s]}\n' "$1" "$2" "${2//\"/}" "$3"
}
row() { printf '{"case": "%s", "variant": "%s", "metric": "%s", "unit": "%s", "value": %s}' "$@"; }

result s '"cmo.slots": 46' "$(row map a latency us 100), $(row map b latency us 50), $(row map b reduction % 50), $(row map c latency us 0)" >base.json
result s '"cmo.slots": 64' "$(row map a latency us 101), $(row map b latency us 50), $(row map b reduction % 49), $(row 'a<&\"|b' c latency us 3)" >new.json
expect 0 '' compare base.json base.json
changes='config   cmo.slots: 46 -> 64'
expect 1 "CHANGED  map, a, latency: 100 -> 101 us (+1.00 %)
CHANGED  map, b, reduction: 50 -> 49 % (-2.00 %)
removed  map, c, latency
added    a<&\"|b, c, latency
$changes
5 rows: 1 same, 0 changed within tolerance, 2 beyond, 1 removed, 1 added" compare base.json new.json
expect 1 "changed  map, a, latency: 100 -> 101 us (+1.00 %)
CHANGED  map, b, reduction: 50 -> 49 % (-2.00 %)
removed  map, c, latency
added    a<&\"|b, c, latency
$changes
5 rows: 1 same, 1 changed within tolerance, 1 beyond, 1 removed, 1 added" compare base.json new.json --tol latency=1 --tol reduction=1.9
result s '' "$(row map a latency us 100)" >less.json
result s '' "$(row map a latency ns 100)" >unit.json
expect 0 'added    map, b, latency
added    map, b, reduction
added    map, c, latency
config   cmo.slots: none -> 46
4 rows: 1 same, 0 changed within tolerance, 0 beyond, 0 removed, 3 added' compare less.json base.json
expect 1 'CHANGED  map, a, latency: 100 us -> 100 ns
1 rows: 0 same, 0 changed within tolerance, 1 beyond, 0 removed, 0 added' compare less.json unit.json --tol latency=1000
result s '' "$(row map c latency us 1)" >one.json
result s '' "$(row map c latency us 0)" >zero.json
expect 1 'CHANGED  map, c, latency: 0 -> 1 us
1 rows: 0 same, 0 changed within tolerance, 1 beyond, 0 removed, 0 added' compare zero.json one.json --tol latency=1000

# folders: by scenario, wherever the files lie
mkdir -p a b/s b/other b/deep/er
cp base.json a/s.json
result t '' "$(row x y z 1 3)" >a/t.json
result gone '' "$(row x y z 1 3), $(row x y w 1 3)" >a/gone.json
cp base.json b/s/result.json
result t '' "$(row x y z 1 4)" >b/deep/er/r.json
result fresh '' "$(row x y z 1 3)" >b/other/result.json
echo '{"not": "a result"}' >b/other/settings.json
expect 1 'removed  gone: all 2 rows
CHANGED  t: x, y, z: 3 -> 4 1 (+33.33 %)
added    fresh: all 1 rows
8 rows: 4 same, 0 changed within tolerance, 1 beyond, 2 removed, 1 added' compare a b
expect 1 'removed  gone: all 2 rows
changed  t: x, y, z: 3 -> 4 1 (+33.33 %)
added    fresh: all 1 rows
8 rows: 4 same, 1 changed within tolerance, 0 beyond, 2 removed, 1 added' compare a b --tol z=34
cp base.json b/again.json
expect 2 'b/s/result.json: a result of s, as is b/again.json; compare them file by file' compare a b
rm b/again.json
# sweeps: rows by point
sweep() { "$dmasim" sweep batched-sync-rk3588 -s iterations=1 -s entries=4 "$@" --quiet; }
sweep --vary cmo.slots=1,8 -o sweep1 && sweep --vary cmo.slots=1,8 -o sweep2
expect 0 '' compare sweep1 sweep2
sed 's/"value": [0-9.]*/"value": 7/' sweep2/result.json >x && mv x sweep2/result.json
"$dmasim" compare sweep1 sweep2 >text
check 'rows of a sweep' [ "$?:$(grep -c '^CHANGED  cmo.slots=[18] .*map, ' text)" = 1:12 ]

# JUnit, Markdown and github-action-benchmark
"$dmasim" compare base.json new.json --tol latency=1 --quiet --junit junit.xml --md summary.md --benchmark smaller.json --benchmark-bigger bigger.json >text
check 'quiet' [ "$?:$(cat text)" = 1: ]
check 'files for CI' python3 - <<'E2'
import json, xml.etree.ElementTree as tree
suite = tree.parse("junit.xml").getroot()
cases = {c.get("name"): c.find("failure") for c in suite}
assert suite.get("tests") == "5" and suite.get("failures") == "2" and all(c.get("classname") == "s" for c in suite)
assert cases['a<&"|b c latency'] is None and cases["map a latency"] is None
assert cases["map b reduction"].get("message") == "50 -> 49 % (-2.00 %), tolerance 0 %", cases["map b reduction"].get("message")
assert cases["map c latency"].get("message") == "the row is gone"
smaller, bigger = json.load(open("smaller.json")), json.load(open("bigger.json"))
assert smaller[0] == {"name": "s: map a latency", "unit": "us", "value": 101} and len(smaller) == 3, smaller
assert bigger == [{"name": "s: map b reduction", "unit": "%", "value": 49}], bigger
lines = open("summary.md").read().splitlines()
assert lines[0] == "## Regression: 5 rows" and lines[2] == "1 same, 1 changed within tolerance, 1 beyond, 1 removed, 1 added"
assert lines[6] == "| **beyond** | s | map, b, reduction | 50 % | 49 % | -2.00 % | 0 % |", lines
assert lines[9] == '| added | s | a&lt;&"\\|b, c, latency |  | 3 us | | |', lines
E2

# wrong input
printf '{"rows": [' >broken.json
echo '{}' >none.json
mkdir empty
expect 2 "broken.json:1:10: ']' expected near end of file
none.json: not a dmasim result: it has no \"rows\"" compare broken.json none.json
expect 2 'nowhere.json: cannot be opened
empty: there is no result in this folder' compare nowhere.json empty
expect 2 '--tol latncy: no row has this metric; did you mean "latency"?
--tol packets: no row has this metric' compare base.json base.json --tol latncy=1 --tol packets=2
expect 2 '--tol latency: write --tol metric=percent
--tol latency=-1: write --tol metric=percent
--tol latency=x: write --tol metric=percent
--tol =3: write --tol metric=percent
compare: unknown option --junt; did you mean --junit?
compare needs two result files or folders; see dmasim compare --help' compare base.json --tol latency --tol latency=-1 --tol latency=x --tol =3 --junt=x
expect 2 '/proc/nowhere/x: cannot be written: No such file or directory' compare base.json base.json --junit /proc/nowhere/x
echo "$((count - failed)) passed, $failed failed"
[ "$failed" = 0 ]
