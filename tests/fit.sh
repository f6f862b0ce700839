#!/usr/bin/env bash
# usage: fit.sh DMASIM: values that gave rows are found again from these rows; what a platform file looks like after; wrong input.
set -u
dmasim=$1 failed=0 count=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
# expect STATUS 'MESSAGE' COMMAND...
expect() {
  local status=$1 message=$2 got rc
  shift 2
  got=$("$@" 2>&1 >output) && rc=0 || rc=$?
  count=$((count + 1))
  got=$(sed '/ASan is ignoring/d; /^False positive error reports/d; /sanitizers\/issues\/189/d' <<<"$got") # coroutine stacks
  if [ "$rc" != "$status" ] || [ "$got" != "$message" ]; then
    failed=$((failed + 1))
    printf 'FAILED %s\n  expected %s: %s\n  got      %s: %s\n' "$*" "$status" "$message" "$rc" "$got"
  fi
}
check() { # check NAME COMMAND...
  local name=$1
  shift
  count=$((count + 1))
  "$@" || { failed=$((failed + 1)); echo "FAILED $name"; }
}
cat >truth.yaml <<E2
platform: truth
description: füllt die Zeile   # places count characters, not bytes
values:
  # comments and order stay
  cpu.freq_hz: {value: 2GHz, origin: measured, source: "ümlaut"}
  cmo.clean_ps:
    value: 80ns
    origin: assumed
    source: "to be fitted"
  cmo.invalidate_ps: {value: 80ns, as: cmo.clean_ps, origin: assumed, source: "as a clean"}   # a tie
  cmo.slots: {value: 46, origin: assumed, source: "kept"}
E2
cat >scenario.yaml <<E2
scenario: s
platform: $dir/platform.yaml
guest: batched_sync
params: {entries: 64, iterations: 2}
variants:
  per-entry: {build: per_entry}
  batched: {build: batched}
derive: reduction
E2
cp truth.yaml platform.yaml
"$dmasim" run scenario.yaml -s cmo.clean_ps=123ns -s cmo.invalidate_ps=123ns -s cpu.dsb_restart_ps=31ns -o true --quiet
python3 - <<'E2' >>scenario.yaml
import json
print("expect:")
for row in json.load(open("true/result.json"))["rows"]:
    fitted = row["case"] == "map" and row["metric"] == "latency"
    print(f'  - {{case: {row["case"]}, variant: {row["variant"]}, metric: {row["metric"]}, published: {row["value"]}, tolerance: 1, role: {"fitted" if fitted else "predicted"}}}')
E2
expect 0 '' "$dmasim" fit scenario.yaml --free cmo.clean_ps=20ns:400ns --free cpu.dsb_restart_ps -o fitted.yaml --quiet
python3 - <<'E2' >expected.yaml
text = open("truth.yaml").read()
source = 'source: "fit of s: map, per-entry PER; map, batched BATCHED"'
import json
rows = {r["variant"]: r["value"] for r in json.load(open("true/result.json"))["rows"] if r["case"] == "map" and r["metric"] == "latency"}
source = source.replace("PER", f'{rows["per-entry"]:.6g}').replace("BATCHED", f'{rows["batched"]:.6g}')
block = '    value: 80ns\n    origin: assumed\n    source: "to be fitted"'
text = text.replace(block, f"    {{value: 123ns, origin: fitted, {source}}}").replace("{value: 80ns, as", "{value: 123ns, as")
head, tail = text.split('source: "kept"}')
print(f'{head}source: "kept"}}\n  cpu.dsb_restart_ps: {{value: 31ns, origin: fitted, {source}}}{tail}', end="")
E2
check 'the values behind the rows are found, and nothing else in the file changes' diff expected.yaml fitted.yaml
check 'held-back rows are met too' [ "$(grep -c ' ok$' output):$(grep -c 'NOT OK' output)" = 6:0 ]
cp fitted.yaml platform.yaml
expect 0 '' "$dmasim" fit scenario.yaml -o platform.yaml --quiet
check 'a fit of what is fitted, in place, changes nothing' cmp fitted.yaml platform.yaml
expect 0 '' "$dmasim" fit scenario.yaml -o again.yaml --quiet --start cmo.clean_ps=300ns --start cpu.dsb_restart_ps=100ns -j 1
check 'from another start' diff fitted.yaml again.yaml
expect 0 '' "$dmasim" fit scenario.yaml --free cmo.clean_ps,cmo.invalidate_ps --rows unmap/batched/reduction -o joined.yaml --quiet
check 'keys that share a value' [ "$(grep -c '123ns\|1229..ps\|1230..ps' joined.yaml)" = 2 ]
expect 1 '' "$dmasim" fit scenario.yaml --free cmo.clean_ps=200ns:300ns -o edge.yaml --quiet
check 'bounds are kept, and what cannot be met is said' grep -q 'NOT OK' output
expect 0 '' "$dmasim" fit scenario.yaml --budget 2 --quiet
check 'the budget is kept' grep -q 'in [12] runs' output
# a metric with steps is fitted on another one
sed 's/^derive/fit: {reduction: {metric: latency, offset: 1us}}\nderive/; s/metric: reduction, published: [0-9.]*/metric: reduction, published: 5/' scenario.yaml >steps.yaml
latency=$(python3 -c 'import json; print([r["value"] for r in json.load(open("true/result.json"))["rows"] if (r["case"], r["variant"], r["metric"]) == ("map", "batched", "latency")][0])')
sed -i "s/published: 5,/published: $(python3 -c "print($latency - 1)"),/" steps.yaml
"$dmasim" fit steps.yaml --free cmo.clean_ps=50ns:200ns --start cmo.clean_ps=100ns -s cpu.dsb_restart_ps=31ns --rows map/batched/reduction -o steps-platform.yaml --quiet >/dev/null
check 'fit: metric and offset' grep -q 'value: 123ns' steps-platform.yaml

# wrong input, all at once
expect 2 'fit: unknown option --freee; did you mean --free?
--budget 0: write a number from 1 to 100000
--free: unknown key "cmo.cleanps"; did you mean "cmo.clean_ps"?
--free cpu.lse: it is not a number
--free: cmo.slots: "0" is out of bounds; 1 to 65536 are possible
--free cmo.writeback_ps=1ns: write --free key=low:high
--free cpu.dsb_restart_ps=3ns:2ns: the lower bound must be below the upper one
--free cmo.writeback_ps: it stands twice
--free l1d.bytes: l1d.bytes and cpu.width are of different kinds
--start cpu.width=3: the key is not free
--start dram: write --start key=value
--rows: the scenario has no published value map/batchd/latency; did you mean "map/batched/latency"?
--rows: the scenario has no published value x; write case/variant/metric' "$dmasim" fit scenario.yaml --freee=x --budget 0 --free cmo.cleanps \
  --free cpu.lse --free cmo.slots=0:8 --free cmo.writeback_ps=1ns --free cpu.dsb_restart_ps=3ns:2ns --free cmo.writeback_ps --free l1d.bytes,cpu.width \
  --start cpu.width=3 --start dram --rows map/batchd/latency,x
expect 2 '3 free keys need as many rows at least; there are 2' "$dmasim" fit scenario.yaml --free cmo.clean_ps --free cmo.slots --free cmo.writeback_ps
expect 2 'fit needs one scenario; `dmasim list` shows what there is' "$dmasim" fit
sed 's/^params: {/params: {cmo.clean_ps: 50ns, /' scenario.yaml >setting.yaml
expect 2 'cmo.clean_ps cannot be free: scenario s sets it itself' "$dmasim" fit setting.yaml --free cmo.clean_ps
expect 2 'cmo.clean_ps cannot be free and set with -s; its first value is given with --start' "$dmasim" fit scenario.yaml --free cmo.clean_ps -s cmo.clean_ps=3ns
expect 2 'batched-sync-rk3588: no published value has the role fitted; name some with --rows' "$dmasim" fit batched-sync-rk3588 --free cmo.clean_ps
sed 's/80ns, as: cmo.clean_ps/81ns, as: cmo.clean_ps/; s/cmo.slots: {value: 46,/cmo.slots: {value: 46, as: cmo.slot,/' truth.yaml >platform.yaml
expect 2 "$dir/platform.yaml:10:40: cmo.invalidate_ps is as cmo.clean_ps, but their values differ
$dir/platform.yaml:11:30: cmo.slots: \"as: cmo.slot\" is not a key; did you mean \"cmo.slots\"?" "$dmasim" check scenario.yaml
echo "$((count - failed)) passed, $failed failed"
[ "$failed" = 0 ]
