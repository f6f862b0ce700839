#!/usr/bin/env bash
# usage: report.sh DMASIM: the page of a sweep, of results with published rows, hazards and a distribution: the numbers, in a browser, on
# paper, on a phone; wrong input.
set -u
dmasim=$1 failed=0 count=0
root=$(cd "$(dirname "$0")/.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
# expect STATUS 'MESSAGE' COMMAND...
expect() {
  local status=$1 message=$2 got rc
  shift 2
  got=$("$@" 2>&1 >/dev/null) && rc=0 || rc=$?
  count=$((count + 1))
  if [ "$rc" != "$status" ] || [ "$got" != "$message" ]; then
    failed=$((failed + 1))
    printf 'FAILED %s\n  expected %s: %s\n  got      %s: %s\n' "$*" "$status" "$message" "$rc" "$got"
  fi
}

# wrong input
echo '{' >broken.json
echo '{"a": 1}' >other.json
mkdir empty bad
echo 'nothing' >bad/report.html
reference=$root/results/reference
expect 2 'report needs result files or folders; see dmasim report --help' "$dmasim" report
expect 2 'missing.json: cannot be opened' "$dmasim" report missing.json
expect 2 'other.json: not a dmasim result: it has no "rows"' "$dmasim" report other.json
expect 2 'empty: there is no result in this folder' "$dmasim" report empty
expect 2 "$dir/empty/report.html: the template of the report cannot be read: No such file or directory" \
  env DMASIM_TEMPLATE_DIR="$dir/empty" "$dmasim" report "$reference/sync-latency.json"
expect 2 "$dir/bad/report.html: this is not the template of a report: it has no place for the data" \
  env DMASIM_TEMPLATE_DIR="$dir/bad" "$dmasim" report "$reference/sync-latency.json"
expect 2 'report: unknown option --outpt; did you mean --output?' "$dmasim" report --outpt=x "$reference/sync-latency.json"
expect 2 'none/page.html: cannot be written: No such file or directory' "$dmasim" report "$reference/sync-latency.json" -o none/page.html

# pages
"$dmasim" sweep batched-sync-rk3588 -s iterations=1 --vary entries=4,8,32 --vary cmo.slots=8,16 --vary cmo.ivac_cleans=false,true -j 2 -o sweep --quiet
cat >made.json <<'E2'
{"schema": "dmasim-result/1", "scenario": "made</script><b id=x>", "config": {"params.a": 1}, "origins": {"params.a": "scenario"}, "stacks": [], "hazards": [],
 "rows": [{"case": "<b id=y>", "variant": "v", "metric": "p99_latency", "unit": "us", "value": 7.5},
          {"case": "<b id=y>", "variant": "v", "metric": "median_latency", "unit": "us", "value": 2}]}
E2
results=(sweep/result.json "$reference"/{unmap-tegra234,batched-sync-d9500,erratum-4311569}.json made.json)
expect 0 'report: report.html' "$dmasim" report "${results[@]}"
expect 0 '' "$dmasim" report sweep "${results[@]:1}" --quiet -o twice.html
expect 0 '' cmp report.html twice.html
python3 "$root/tests/report.py" report.html "${results[@]}"
browser=$?
echo "$((count - failed)) passed, $failed failed without a browser"
[ "$failed" = 0 ] || exit 1
exit $browser
