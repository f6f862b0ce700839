#!/usr/bin/env bash
# usage: sweep.sh DMASIM: points, resuming, failing points, shares and merging, wrong input.
set -u
dmasim=$1 failed=0 count=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
small="batched-sync-rk3588 -s iterations=1 -s entries=4"

check() { # check NAME COMMAND...
  local name=$1
  shift
  count=$((count + 1))
  "$@" || { failed=$((failed + 1)); echo "FAILED $name"; }
}
# expect STATUS 'MESSAGE' COMMAND...
expect() {
  local status=$1 message=$2 got rc
  shift 2
  got=$("$@" 2>&1 >/dev/null) && rc=0 || rc=$?
  count=$((count + 1))
  got=$(sed '/ASan is ignoring/d; /^False positive error reports/d; /sanitizers\/issues\/189/d' <<<"$got") # coroutine stacks
  if [ "$rc" != "$status" ] || [ "$got" != "$message" ]; then
    failed=$((failed + 1))
    printf 'FAILED %s\n  expected %s: %s\n  got      %s: %s\n' "$*" "$status" "$message" "$rc" "$got"
  fi
}
same() { diff -r "$1" "$2" >/dev/null; }

# the cross product, in order, equals single runs; any -j gives the same folder
expect 0 '' "$dmasim" sweep $small --vary cmo.slots=8,16 --vary l1d.bytes=32KiB,64KiB -j 1 -o one
expect 0 '' "$dmasim" sweep $small --vary cmo.slots=8,16 --vary l1d.bytes=32KiB,64KiB -j 3 -o three
check 'any -j gives the same folder' same one three
"$dmasim" run $small -s cmo.slots=16 -s l1d.bytes=32KiB -o single --quiet
check 'points of the cross product' python3 - <<'E2'
import json, os, sys
plan, result, single = (json.load(open(p)) for p in ("one/sweep.json", "one/result.json", "single/result.json"))
points = [tuple(p["point"].items()) for p in plan["points"]]
assert points == [(("cmo.slots", a), ("l1d.bytes", b)) for a in (8, 16) for b in (32768, 65536)], points
assert sorted(os.listdir("one/points")) == sorted(p["hash"] + ".json" for p in plan["points"])
assert plan["points"][2]["hash"] == single["config_hash"]
rows = [r for r in result["rows"] if r.pop("point") == {"cmo.slots": 16, "l1d.bytes": 32768}]
assert rows == single["rows"], (rows, single["rows"])
assert "cmo.slots" not in result["config"] and result["config"]["l2.bytes"] == single["config"]["l2.bytes"]
lines = open("one/result.csv").read().splitlines()
assert lines[0].startswith("cmo.slots,l1d.bytes,case,variant,metric,unit,value") and len(lines) == 1 + len(result["rows"])
E2

# lists in the scenario; --vary replaces the list of the same key; two spellings of a value are one point
printf 'scenario: s\nplatform: rk3588\nguest: batched_sync\nparams: {iterations: 1, entries: 4}\nvariants: {b: {build: batched}}\nsweep:\n  cmo.slots: [8, 16]\n  entry_bytes: [4KiB, 4096, 8KiB]\n' >s.yaml
expect 0 '' "$dmasim" sweep s.yaml -o listed
check 'lists of the scenario' [ "$(ls listed/points | wc -l)" = 4 ]
expect 0 '' "$dmasim" sweep s.yaml --vary cmo.slots=32 -o replaced
check '--vary replaces a list' [ "$(ls replaced/points | wc -l)" = 2 ]
check '--vary replaces a list' [ "$(cut -d, -f1 replaced/result.csv | sort -u | tr '\n' ' ')" = '32 cmo.slots ' ]

# points that cannot work are recorded, the others go on
refused='l2.bytes=3145728: refused: l2.bytes / (64 * l2.ways) must be a power of two (the number of sets); it is 3145728 / (64 * 8)'
expect 3 "$refused" "$dmasim" sweep $small --vary l2.bytes=1MiB,3MiB,2MiB -s l2.ways=8 -o refused
expect 3 "$refused" "$dmasim" sweep $small --vary l2.bytes=1MiB,3MiB,2MiB -s l2.ways=8 -o refused --resume
check 'a refused point in the result' python3 - <<'E2'
import json
result = json.load(open("refused/result.json"))
assert [p["status"] for p in result["points"]] == ["fine", "refused", "fine"]
assert {r["point"]["l2.bytes"] for r in result["rows"]} == {1 << 20, 2 << 20}
E2
got=$("$dmasim" sweep $small --vary sim.instruction_limit=1000,100000000 -o limit 2>&1 >/dev/null) && rc=0 || rc=$?
case "$rc:$got" in
3:*'sim.instruction_limit=1000: failed: batched-sync-rk3588, variant per-entry: the instruction limit (sim.instruction_limit) is reached'*) count=$((count + 1)) ;;
*) check "a failed point: $rc: $got" false ;;
esac
expect 1 '' "$dmasim" sweep batched-sync-d9500 -s iterations=1 --vary entries=2 -o missed

# resuming runs nothing that is there, and whatever is missing, torn or of other expectations
expect 2 'one: a sweep is there already; --resume goes on with it, -o names another folder' "$dmasim" sweep $small --vary cmo.slots=8 -o one
cp -a one again
touch -d '2001-01-01' again/points/*
set -- again/points/*
rm "$1"
head -c 100 "$2" >torn && mv torn "$2"
touch again/points/x.json.1.tmp
expect 0 '' "$dmasim" sweep $small --vary cmo.slots=8,16 --vary l1d.bytes=32KiB,64KiB --resume -o again
check 'the resumed folder is as if undisturbed' same one again
check 'points that were there did not run again' [ "$(find again/points -newermt 2002-01-01 | grep -c json)" = 2 ]
sed 's/^variants/expect: [{case: map, variant: b, metric: latency, published: 1, tolerance: 1000, role: predicted}]\nvariants/' s.yaml >expecting.yaml
cp -a listed judged
expect 0 '' "$dmasim" sweep expecting.yaml --resume -o judged
check 'new expectations' [ "$(grep -c '"published"' judged/result.json)" = 4 ]

# shares for another scheduler
expect 0 '' "$dmasim" sweep $small --vary cmo.slots=8,16 --vary l1d.bytes=32KiB,64KiB --point 1/3 -o shared
expect 3 'cmo.slots=8 l1d.bytes=65536: missing: it has not run; `dmasim sweep --resume` runs it
cmo.slots=16 l1d.bytes=32768: missing: it has not run; `dmasim sweep --resume` runs it' "$dmasim" merge shared
check 'no result of half a sweep' [ ! -e shared/result.json ]
expect 0 '' "$dmasim" sweep $small --vary cmo.slots=8,16 --vary l1d.bytes=32KiB,64KiB --point 3/3 -o shared
expect 0 '' "$dmasim" sweep $small --vary cmo.slots=8,16 --vary l1d.bytes=32KiB,64KiB --point 2/3 -o elsewhere
expect 2 'shared: another sweep is there; --point works in its own sweep'"'"'s folder or in a new one' "$dmasim" sweep $small --vary cmo.slots=8 --point 2/3 -o shared
expect 2 'listed: this is another sweep than shared: their sweep.json differ' "$dmasim" merge shared listed
expect 0 '' "$dmasim" merge shared elsewhere
check 'shares together are the sweep' same one shared

# wrong input
mkdir empty
expect 2 'empty: this is not the folder of a sweep: there is no sweep.json that can be read' "$dmasim" merge empty
expect 2 'merge needs the folder of a sweep' "$dmasim" merge
expect 2 'sweep needs one scenario; `dmasim list` shows what there is' "$dmasim" sweep
expect 2 'there is nothing to vary: give --vary key=value,value,... or the scenario a "sweep:"' "$dmasim" sweep batched-sync-rk3588 -o w
expect 2 '--vary cmo.slots: write --vary key=value,value,...
--vary l2.bytes=: write --vary key=value,value,...
--vary l2.bytes=1MiB,,2MiB: write --vary key=value,value,...
--vary =3: write --vary key=value,value,...
sweep: unknown option --engyne; did you mean --engine?
sweep: unknown option --frobnicate; see dmasim sweep --help
sweep: unknown option -q; see dmasim sweep --help
--engine pbs: it is local or slurm
--point 3/2: write --point i/N, i from 1 to N
--point 1: write --point i/N, i from 1 to N
-j 0: write a number from 1 to 1024
sweep: -o needs a value; see dmasim sweep --help
-s: unknown key "cmo.slotz"; did you mean "cmo.slots"?
--vary: l2.bytes: "2MB" has no known unit; write a number with B, KiB, MiB or GiB
--vary: unknown key "l2.byte"; did you mean "l2.bytes"?
--vary: parameter entries: "many" is not understood; write a whole number, true or false, bytes (KiB, MiB, GiB) or a time (ps, ns, us, ms, s)
-s l2.bytes: the sweep varies it; use --vary l2.bytes=1MiB for one value' "$dmasim" sweep batched-sync-rk3588 --vary cmo.slots --vary l2.bytes= \
  --vary l2.bytes=1MiB,,2MiB --vary =3 --engyne=x --frobnicate -q --engine pbs --point 3/2 --point 1 -j 0 --vary l2.bytes=2MB,1MiB --vary l2.byte=3,4 \
  --vary entries=many -s cmo.slotz=3 -s l2.bytes=1MiB -o
expect 2 '--engine slurm and --point exclude each other: the job array hands out the shares' "$dmasim" sweep s.yaml --engine slurm --point 1/2 -o w
expect 2 'the sweep has more than 20000 points; give fewer values' "$dmasim" sweep s.yaml -o w --vary seed=$(seq -s, 1 300) --vary cmo.slots=$(seq -s, 1 300)
printf 'scenario: s\nplatform: rk3588\nguest: batched_sync\nvariants: {b: {build: batched}}\nsweep:\n  cmo.slotz: [8]\n  l2.bytes: 1MiB\n  entries: [[1]]\n  l2.ways: [0]\n' >bad.yaml
expect 2 'bad.yaml:6:15: unknown key "cmo.slotz"; did you mean "cmo.slots"?
bad.yaml:7:13: sweep of l2.bytes: write a list of values: [1, 2, 4]
bad.yaml:8:13: sweep of entries: a value must be plain text
bad.yaml:9:13: l2.ways: "0" is out of bounds; 1 to 64 are possible' "$dmasim" check bad.yaml
check 'a refused sweep leaves nothing' [ ! -e w ]
echo "$((count - failed)) passed, $failed failed"
[ "$failed" = 0 ]
