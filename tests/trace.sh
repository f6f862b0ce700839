#!/usr/bin/env bash
# usage: trace.sh DMASIM: --trace and --profile change no byte of the result; what is in them; windows, limits, wrong use.
set -u
dmasim=$1 failed=0 count=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
check() { # check NAME COMMAND...
  local name=$1
  shift
  count=$((count + 1))
  "$@" || { failed=$((failed + 1)); echo "FAILED $name"; }
}
same() { [ -s "$1/result.json" ] && [ -s "$2/result.json" ] && cmp <(sed '/"host": {/,$d' "$1/result.json") <(sed '/"host": {/,$d' "$2/result.json"); }

cat >queues.yaml <<'E2'
scenario: queues
platform: marvell80
guest: contention
params: {cpu.cores: 4, warmup_us: 50, interval_us: 50, intervals_least: 2, intervals_most: 2}
variants:
  ecmdq: {build: lock_old}
E2
# every kind of platform: no SMMU, SMMUv3 with CMDQ, with ECMDQs and many cores, MMU-500
while read -r scenario settings; do
  "$dmasim" run "$scenario" $settings -o "off-$scenario" --quiet 2>/dev/null
  "$dmasim" run "$scenario" $settings -o "on-$scenario" --quiet --trace "$scenario.json" --profile "$scenario.folded" 2>"$scenario.note"
  check "$scenario: the same result" same "off-$scenario" "on-$scenario"
  check "$scenario: nothing is cut: $(cat "$scenario.note")" [ "$(grep -c 'the trace ends' "$scenario.note")" = 0 ]
done <<'E2'
batched-sync-d9500 -s iterations=1 -s entries=20
sync-latency -s cpu.functional_only=false
litmus-dma
litmus-cores
queues.yaml
unmap-tegra234-smmuv3 -s iterations=2
unmap-tegra234 -s iterations=2
E2
check 'no parts are left' [ "$(ls | grep -c '\.tmp$')" = 0 ]

# the reader: slices nest, all are closed, each arrow goes from a core's doorbell to the command and to its CMD_SYNC, or to a transfer
cat >read.py <<'E2'
import collections, json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
need = sys.argv[2:]
tracks, stacks, flows, seen = {}, collections.defaultdict(list), collections.defaultdict(list), set()
last = collections.defaultdict(float)
for e in (e for e in events if e["ph"] == "M" and e["name"] == "thread_name"):
    tracks[e["pid"], e["tid"]] = e["args"]["name"]
for e in sorted((e for e in events if e["ph"] != "M"), key=lambda e: e["ts"]):  # as trace_processor does: stable
    track = e["pid"], e["tid"]
    if e["ph"] == "B":
        stacks[track].append(e["name"])
        seen.add(tracks[track] + "/" + e["name"])
    elif e["ph"] == "E":
        stacks[track].pop()
    elif e["ph"] in "stf":
        flows[e["id"]].append((e["ph"], tracks[track].split(" ")[0], stacks[track][-1], e["ts"]))
problems = [f"open: {t} {s}" for t, s in stacks.items() if s]
for flow in flows.values():
    shape = "".join(p for p, *_ in flow)
    if shape not in ("stf", "sf") or flow[0][1:3] != ("core", "doorbell"):
        problems.append(f"arrow: {flow}")
    if shape == "stf" and (flow[2][1] not in ("CMDQ", "ECMDQ") or flow[2][2] != "SYNC" or flow[1][1] != flow[2][1]):
        problems.append(f"arrow: {flow}")
    if shape == "sf" and flow[1][1:3] != ("DMA", "transfer"):
        problems.append(f"arrow: {flow}")
problems += [f"missing: {name} of {sorted(seen)[:99]}" for name in need if name not in seen and name != "flows"]
problems += ["no arrows"] if "flows" in need and not flows else []
print(*problems[:5], sep="\n", end="\n" if problems else "")
sys.exit(bool(problems))
E2
check 'cores and regions' python3 read.py batched-sync-d9500.json 'core 0/dma_direct_map_sg' 'core 0/dsb_wait' 'core 0 regions/map'
check 'queues and engines' python3 read.py sync-latency.json flows 'CMDQ/SYNC' 'command engine 0/SYNC' 'core 0/doorbell'
check 'channels' python3 read.py litmus-dma.json flows 'DMA channel 0/transfer' 'DMA channel 0/descriptor'
check 'TLB invalidations' python3 read.py unmap-tegra234-smmuv3.json flows 'CMDQ/TLBI_NH_VA'
check 'enhanced command queues' python3 read.py queues.yaml.json flows 'ECMDQ 3/TLBI_NH_VA' 'ECMDQ 3/SYNC' 'core 3/doorbell'
check 'several cores' python3 read.py litmus-cores.json 'core 1/mmio'

# a window has what happened in it and nothing else
"$dmasim" run batched-sync-d9500 -s iterations=1 -s entries=20 -o w --quiet --trace w.json --trace-from 20us --trace-to 30us 2>/dev/null
check 'a window' python3 - <<'E2'
import json, sys
all, window = (json.load(open(f))["traceEvents"] for f in ("batched-sync-d9500.json", "w.json"))
inside = [e for e in window if e["ph"] in "BE"]
expected = [e for e in all if e["ph"] in "BE" and 20 < e["ts"] < 30]
sys.exit(not inside or any(not 20 <= e["ts"] <= 30 for e in inside) or [e for e in inside if 20 < e["ts"] < 30] != expected)
E2
check 'the window is read' python3 read.py w.json
# a limit
"$dmasim" run sync-latency -o l --quiet --trace l.json --trace-events 500 2>l.note
check "the limit is told: $(cat l.note)" grep -qE '^sync-latency, .*: the trace ends at [0-9.]+ us of simulated time, after 500 events; --trace-from and --trace-to choose a window, --trace-events allows more$' l.note
check 'the limited file is read' python3 - <<'E2'
import json, sys
events = json.load(open("l.json"))["traceEvents"]
sys.exit(not 500 <= len(events) / len({e["pid"] for e in events}) < 600)
E2

# the profile: each chain once; the sum is the cores' time; the table names who took it
check 'folded stacks' python3 - <<'E2'
import sys
lines = [line.rsplit(" ", 1) for line in open("batched-sync-d9500.folded")]
chains = [chain for chain, ps in lines]
last = max(lines, key=lambda line: int(line[1]))[0].split(";")
sys.exit(len(set(chains)) != len(chains) or last[0] != "per-entry" or "main" not in last
         or last[-1] not in ("dcache_clean_poc", "dcache_inval_poc"))
E2
"$dmasim" run batched-sync-d9500 -s iterations=1 -s entries=20 -o t --profile t.folded >t.table 2>/dev/null
check 'the table' grep -qE '^ +[0-9.]+ +[0-9.]+% +[0-9.]+ +[0-9.]+%  dcache_clean_poc$' t.table
check 'the same profile again' cmp t.folded batched-sync-d9500.folded
"$dmasim" run batched-sync-d9500 -s iterations=30 -s entries=20 -o t --quiet --profile t.folded 2>/dev/null
check 'the time of a case is in the profile' python3 - <<'E2'
import json, sys
rows = json.load(open("t/result.json"))["rows"]
for variant in ("per-entry", "batched"):
    simulated = sum(int(line.rsplit(" ", 1)[1]) for line in open("t.folded") if line.startswith(variant) and ";dma_direct_map_sg" in line) / 1e6
    calls = 31  # iterations and the warm-up
    row = calls * next(r["value"] for r in rows if (r["case"], r["variant"], r["metric"]) == ("map", variant, "latency"))
    if not 0.9 * row < simulated < 1.1 * row:
        sys.exit(f"{variant}: {simulated} us in the profile, {row} us measured")
E2

# wrong use
wrong() { # wrong MESSAGE ARGUMENTS...
  local got rc expected=$1
  shift
  got=$("$dmasim" run "$@" --quiet -o wrong 2>&1) && rc=0 || rc=$?
  check "$*: $rc: $got" [ "$rc:$got" = "2:$expected" ]
}
wrong '--trace-from: "5" is not a simulated time; write a number with ps, ns, us, ms or s' sync-latency --trace x.json --trace-from 5
wrong '--trace-to must be later than --trace-from' sync-latency --trace x.json --trace-from 5us --trace-to 5us
wrong '--trace-from, --trace-to and --trace-events are about --trace FILE, which is missing' sync-latency --trace-to 5us
wrong '--trace-events: "none" is not a number of events; write a whole number from 1' sync-latency --trace x.json --trace-events none
wrong '--trace and --profile are files of one scenario; 2 are given' sync-latency litmus-dma --trace x.json
wrong $'nowhere/x.json: cannot be written: No such file or directory\nnowhere/p: cannot be written: No such file or directory' \
  sync-latency --trace nowhere/x.json --profile nowhere/p
echo "$((count - failed)) passed, $failed failed"
[ "$failed" = 0 ]
