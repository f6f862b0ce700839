#!/usr/bin/env bash
# usage: command.sh DMASIM: the command from outside; wrong inputs give the exact message and exit status, and leave no result behind.
set -u
dmasim=$1 failed=0 count=0 scenarios=$(cd "$(dirname "$0")/../scenarios" && pwd)
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
run() { expect "$1" "$2" "$dmasim" run batched-sync-d9500 -o "$dir/out" -s iterations=1 --quiet "${@:3}"; }

run 2 '-s: unknown key "cmo.slot"; did you mean "cmo.slots"?' -s cmo.slot=3
run 2 '-s: cpu.freq_hz: "2.6" has no known unit; write a number with Hz, kHz, MHz or GHz' -s cpu.freq_hz=2.6
run 2 '-s: cpu.freq_hz: "2.6ns" has no known unit; write a number with Hz, kHz, MHz or GHz' -s cpu.freq_hz=2.6ns
run 2 '-s: cmo.slots: "0" is out of bounds; 1 to 65536 are possible' -s cmo.slots=0
run 2 '-s: l2.bytes: "2MB" has no known unit; write a number with B, KiB, MiB or GiB' -s l2.bytes=2MB
run 2 '-s: cpu.lse: "yes" is not understood; write true or false' -s cpu.lse=yes
run 2 '-s: dram.latency_ps: "0.5ps" is finer than the smallest unit' -s dram.latency_ps=0.5ps
run 2 '-s cmo.slots: write -s key=value' -s cmo.slots
expect 2 'there is no scenario "batched"; `dmasim list` shows what there is' "$dmasim" run batched
expect 2 'dmasim: there is no command "rum"; did you mean "run"?' "$dmasim" rum
expect 2 'run needs a scenario; `dmasim list` shows what there is' "$dmasim" run
expect 2 'unknown key "cpu.width_"; did you mean "cpu.width"?' "$dmasim" explain cpu.width_

for command in check explain; do
  expect 2 "$command: unknown option --all; see dmasim $command --help" "$dmasim" $command --all
done
expect 2 'list takes no arguments; "platforms" is one' "$dmasim" list platforms
explains() { # explains KEY LINE...: what is printed of a key
  local got
  got=$("$dmasim" explain "$1" | sed 's/^  //; s/  */ /g')
  count=$((count + 1))
  [ "$got" = "$(printf '%s\n' "$@")" ] || { failed=$((failed + 1)); printf 'FAILED explain %s:\n%s\n' "$1" "$got"; }
}
explains cpu.width 'meaning instructions issued per cycle' 'type whole number' 'bounds 1 to 16' 'default 4' 'origin assumed: typical of current Arm cores'
explains smmu.kind 'meaning the SMMU before the DMA masters' 'type choice (none, smmuv3, mmu500)' 'default none' 'origin no SMMU unless the platform has one'
for key in $("$dmasim" explain | awk '{ print $1 }'); do
  "$dmasim" explain "$key" | grep -qE '^  origin    .' || { echo "FAILED: $key has no origin"; failed=$((failed + 1)); }
done
count=$((count + 1))

cat >s.yaml <<E2
scenario: s
platform: nowhere
guest: batched_sync
variants:
  a: {build: per_entry, cmo.slotz: 3}
varians: 1
E2
expect 2 's.yaml:2:11: there is no platform "nowhere"; `dmasim list` shows what there is
s.yaml:5:36: unknown key "cmo.slotz"; did you mean "cmo.slots"?
s.yaml:6:1: unknown entry "varians" in a scenario; did you mean "variants"?' "$dmasim" check s.yaml
printf 'scenario: s\nplatform: nowhere\nguest: batched_sync\nvariants:\n  a: {build: per_entry}\n' >p.yaml
expect 2 'p.yaml:2:11: there is no platform "nowhere"; `dmasim list` shows what there is' "$dmasim" check p.yaml
printf 'scenario: s\nscenario: t\n' >d.yaml
expect 2 'd.yaml:2:1: "scenario" stands twice; the first is in line 1' "$dmasim" check d.yaml
printf 'a: [1\n' >y.yaml
expect 2 "y.yaml:2:1: not valid YAML: did not find expected ',' or ']', while parsing a flow sequence that begins in line 1, column 4" "$dmasim" check y.yaml

echo text >text.elf
expect 2 'text.elf: not an ELF file' "$dmasim" exec text.elf
expect 2 'missing.elf: cannot be opened' "$dmasim" exec missing.elf
cp /bin/true true.elf
expect 2 'true.elf: the ELF file is not for AArch64 (EM_AARCH64)' "$dmasim" exec true.elf
head -c 100 /bin/true >short.elf
got=$("$dmasim" exec short.elf 2>&1) && rc=0 || rc=$?
[ "$rc" = 2 ] || { echo "FAILED truncated ELF: status $rc: $got"; failed=$((failed + 1)); }
count=$((count + 1))

program() { printf '.global _start\n_start: %b\n' "$2" >"$1.S" && aarch64-linux-gnu-gcc -nostdlib -static -Wl,--build-id=none -Wl,-Ttext=0x40100000 "$1.S" -o "$1"; }
program endless.elf 'b .'
expect 124 'the instruction limit (sim.instruction_limit) is reached; core 0 is at 0x40100000' "$dmasim" exec endless.elf -s sim.instruction_limit=1000
expect 124 'the simulated time limit (sim.time_limit_ps) is reached; core 0 is at 0x40100000' "$dmasim" exec endless.elf -s sim.time_limit_ps=1ms
program fault.elf 'mov x0, #0x10\n ldr x1, [x0]'
expect 125 'the guest takes the same exception again and again; core 0 is at 0x200; last exception: ESR 0x96000010 ELR 0x40100004 FAR 0x10' "$dmasim" exec fault.elf
program sleep.elf 'wfi'
expect 125 'nothing can happen any more: every core sleeps and no device is at work; core 0 is at 0x40100000' "$dmasim" exec sleep.elf
program low.elf 'b .' && aarch64-linux-gnu-gcc -nostdlib -static -Wl,--build-id=none -Wl,-Ttext=0x1000 low.elf.S -o low.elf
got=$("$dmasim" exec low.elf 2>&1) && rc=0 || rc=$?
case "$rc:$got" in
2:*"lies outside RAM, which is 0x40000000 to 0x7fffffff") ;;
*) echo "FAILED segment outside RAM: $rc: $got"; failed=$((failed + 1)) ;;
esac
count=$((count + 1))
aarch64-linux-gnu-gcc -c endless.elf.S -o object.o
expect 2 'object.o: the ELF file is not an executable (ET_EXEC, or ET_DYN without relocations): link it first' "$dmasim" exec object.o
program fine.elf 'ldr x1, =0x20026\n adr x2, block\n str x1, [x2]\n mov x3, #7\n str x3, [x2, #8]\n mov x1, x2\n mov w0, #0x18\n hlt #0xf000\n .ltorg\n .align 4\nblock: .quad 0, 0'
aarch64-linux-gnu-gcc -nostdlib -static -Wl,--build-id=none -Wl,-N -Wl,-Ttext=0x40100000 fine.elf.S -o fine.elf 2>/dev/null
expect 7 '' "$dmasim" exec fine.elf

# exec hands a device tree in X0 and enters at the level asked for: the programs end with 1 when not
check='cset x3, ne\n ldr x1, =0x20026\n adr x2, block\n str x1, [x2]\n str x3, [x2, #8]\n mov x1, x2\n mov w0, #0x18\n hlt #0xf000\n .ltorg\n .align 4\nblock: .quad 0, 0'
writable() { program "$1" "$2"; aarch64-linux-gnu-gcc -nostdlib -static -Wl,--build-id=none -Wl,-N -Wl,-Ttext=0x40100000 "$1.S" -o "$1" 2>/dev/null; }
writable tree.elf "ldr w4, [x0]\n ldr w5, =0xedfe0dd0\n cmp w4, w5\n $check"
expect 0 '' "$dmasim" exec tree.elf
writable level.elf "mrs x4, CurrentEL\n cmp x4, #8\n $check"
expect 0 '' "$dmasim" exec level.elf -s exec.el=2
expect 1 '' "$dmasim" exec level.elf

if [ "$(id -u)" = 0 ]; then out=/proc/nowhere; else out=/nowhere; fi
expect 2 "$out: the output folder cannot be written" "$dmasim" run batched-sync-d9500 -s iterations=1 --quiet -o "$out"
got=$("$dmasim" run batched-sync-d9500 -s iterations=200 -s sim.instruction_limit=1000 --quiet -o "$dir/out" 2>&1) && rc=0 || rc=$?
case "$rc:$got" in
3:*"the instruction limit (sim.instruction_limit) is reached"*) ;;
*) echo "FAILED instruction limit: $rc: $got"; failed=$((failed + 1)) ;;
esac
count=$((count + 1))
# values that are allowed each but impossible together: every problem once, before anything runs
impossible='ram.bytes must be a multiple of 4KiB
l3.bytes / (64 * l3.ways) must be a power of two (the number of sets); it is 12582912 / (64 * 9)
l2.bytes must be at least l1d.bytes: L2 is inclusive of L1D
l2.bytes / (64 * l2.ways) must be a power of two (the number of sets); it is 1048576 / (64 * 7)
cpu.l1i_bytes / (64 * cpu.l1i_ways) must be a power of two; it is 65536 / (64 * 3)
cpu.tlb_entries is 12; it must be 4 times a power of two
cpu.branch_predictor is 5000; it must be a power of two from 4096 to 1048576
dmac.burst_bytes is 17; it must be a power of two
nic.burst_bytes is 96; it must be a power of two'
settings="-s ram.bytes=17000000B -s l3.bytes=12MiB -s l3.ways=9 -s l1d.bytes=2MiB -s l2.bytes=1MiB -s l2.ways=7 -s cpu.l1i_bytes=64KiB
  -s cpu.l1i_ways=3 -s cpu.tlb_entries=12 -s cpu.branch_predictor=5000 -s dmac.burst_bytes=17 -s nic.burst_bytes=96"
run 2 "$impossible" $settings
expect 2 "$impossible" "$dmasim" exec fine.elf $settings
cat >i.yaml <<E2
scenario: i
platform: rk3588
guest: batched_sync
params: {ram.bytes: 17000000B, l3.bytes: 12MiB, l3.ways: 9, l1d.bytes: 2MiB, l2.bytes: 1MiB, l2.ways: 7}
variants:
  a: {build: per_entry, cpu.l1i_bytes: 64KiB, cpu.l1i_ways: 3}
  b: {build: batched, cpu.l1i_bytes: 64KiB, cpu.l1i_ways: 3}
cases:
  one: {cpu.tlb_entries: 12, cpu.branch_predictor: 5000, dmac.burst_bytes: 17, nic.burst_bytes: 96}
  two: {cpu.tlb_entries: 12}
E2
expect 2 "$impossible" "$dmasim" check i.yaml
expect 2 "$impossible" "$dmasim" run i.yaml -o "$dir/out"
got=$("$dmasim" run batched-sync-d9500 -o "$dir/out" -s iterations=1 -s entries=2 --quiet 2>&1) && rc=0 || rc=$?
case "$rc:$got" in
"1:map, batched, reduction: simulated "*" %, published 64.61, tolerance 2"*) ;;
*) echo "FAILED missed expectation: $rc: $got"; failed=$((failed + 1)) ;;
esac
count=$((count + 1))
rm -rf "$dir/out"
printf 'scenario: a\nplatform: rk3588\nguest: batched_sync\nvariants: {v: {build: batched}}\nexpect: 7\nparams: [1]\n' >k.yaml
expect 2 'k.yaml:5:9: "expect:" must be a list
k.yaml:6:9: "params:" must be a mapping of names to values' "$dmasim" check k.yaml

# the effective configuration, printed back, gives the same rows
"$dmasim" run batched-sync-sizes -s iterations=2 -s cmo.slots=40 -s entries=3 --effective effective.yaml &&
  "$dmasim" run batched-sync-sizes -s iterations=2 -s cmo.slots=40 -s entries=3 -o one --quiet && "$dmasim" run effective.yaml -o two --quiet &&
  "$dmasim" compare one/result.json two/result.json || { echo "FAILED effective configuration"; failed=$((failed + 1)); }
count=$((count + 1))
# any -j gives the same bytes outside host
"$dmasim" run batched-sync-sizes -s iterations=1 -j 1 -o j1 --quiet && "$dmasim" run batched-sync-sizes -s iterations=1 -j 3 -o j3 --quiet &&
  cmp <(sed '/"host": {/,$d' j1/result.json) <(sed '/"host": {/,$d' j3/result.json) || { echo "FAILED -j changes the result"; failed=$((failed + 1)); }
count=$((count + 1))
# what a case sets is part of the configuration and of its hash
sed 's/entries: 2, entry_bytes: 4KiB/entries: 2, entry_bytes: 8KiB/' "$scenarios/batched-sync-sizes.yaml" >case.yaml
"$dmasim" run case.yaml -s iterations=1 -o case --quiet && python3 - j1/result.json case/result.json <<'E2' || { echo "FAILED configuration of a case"; failed=$((failed + 1)); }
import json, sys
a, b = (json.load(open(path)) for path in sys.argv[1:])
different = {key: (a["config"].get(key), b["config"].get(key)) for key in a["config"] | b["config"] if a["config"].get(key) != b["config"].get(key)}
sys.exit(different != {"cases.2x4KiB.entry_bytes": (4096, 8192)} or a["config_hash"] == b["config_hash"])
E2
count=$((count + 1))
# the chart of 18 bars: names without the only variant, every text inside the picture, no value above a bar touches the next
if command -v gnuplot >/dev/null; then
  python3 - j1/chart.svg <<'E2' || { echo "FAILED chart"; failed=$((failed + 1)); }
import math, re, sys
svg = open(sys.argv[1]).read()
width, height = map(int, re.search(r'viewBox="0 0 (\d+) (\d+)"', svg).groups())
texts = [(float(x), float(y), float(turn or 0), anchor, text) for x, y, turn, anchor, text in re.findall(
    r'translate\(([\d.]+),([\d.]+)\)(?: rotate\(([\d.]+)\))?"[^>]*text-anchor="(\w+)">\s*<text>(?:<tspan[^>]*>)?([^<]*)<', svg)]
names = [t for t in texts if t[2] == 35]
outside = [t[4] for t in names if t[0] + 7 * len(t[4]) * math.cos(math.radians(35)) > width
           or t[1] + 7 * len(t[4]) * math.sin(math.radians(35)) > height]
values = [t for t in texts if t[2] == 0 and t[3] == "middle"][:18]
close = [(a[4], b[4]) for a, b in zip(values, values[1:]) if b[0] - a[0] < 7 * (len(a[4]) + len(b[4])) / 2]
expected = [f"{case} {name}" for case in "1x4KiB 2x4KiB 4x4KiB 16x4KiB 64x4KiB 2560x4KiB 2560x1KiB 640x16KiB 160x64KiB".split()
            for name in ("map", "unmap")]
wrong = outside or close or [t[4] for t in names] != expected or any(len(t[4]) > 5 for t in values)
print(*(["chart:", names, values, outside, close] if wrong else []))
sys.exit(bool(wrong))
E2
  count=$((count + 1))
fi
if [ -e "$dir/out/result.json" ] || ls "$dir"/out/*.tmp >/dev/null 2>&1; then
  echo "FAILED: a refused run left a result behind"
  failed=$((failed + 1))
fi
echo "$((count - failed)) passed, $failed failed"
[ "$failed" = 0 ]
