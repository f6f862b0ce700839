#!/usr/bin/env bash
# GCC's torture suite (gcc-12-source, gcc.c-torture/execute and its ieee folder), built bare-metal with picolibc, on QEMU and on
# dmasim: every program that QEMU passes must pass here, with the same output.
# usage: run_torture.sh DMASIM [STEP]   every STEPth program (default 1: all)
set -u
dmasim=$(realpath "$1") step=${2:-1}
archive=$(ls /usr/src/gcc-12/gcc-12*.tar.xz 2>/dev/null | head -1)
pico=/usr/lib/picolibc/aarch64-linux-gnu/picolibc.specs
for need in "$archive" "$pico"; do
  [ -e "$need" ] || { echo "skipped: gcc-12-source or picolibc-aarch64-linux-gnu is not installed"; exit 77; }
done
command -v qemu-system-aarch64 >/dev/null || { echo "skipped: qemu-system-arm is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar xf "$archive" -C "$work" --wildcards '*/gcc.c-torture/execute/*' 2>/dev/null
source_dir=$(find "$work" -type d -path '*gcc.c-torture/execute' | head -1)

cat >"$work/flags" <<END
-specs=$pico --oslib=semihost --crt0=semihost -static -O2 -w -mno-outline-atomics
-std=gnu17 -Wl,--defsym=__flash=0x40080000 -Wl,--defsym=__flash_size=0x800000 -Wl,--defsym=__ram=0x41000000
-Wl,--defsym=__ram_size=0x1000000 -Wl,--defsym=__stack_size=0x200000 -Wl,--no-warn-rwx-segments
END
cat >"$work/one.sh" <<'END'
# one program: prints "pass", "fail WHY", "skip WHY"
file=$1 work=$2 dmasim=$3
name=$(basename "$file" .c)
elf=$work/$name.elf
# half of the programs without LSE: libraries and compiler then use exclusives, and the core must do without it
arch=armv8-a+lse lse=true
[ $(($(cksum <<<"$name" | cut -d' ' -f1) % 2)) = 0 ] && arch=armv8-a lse=false
aarch64-linux-gnu-gcc $(cat "$work/flags") -march=$arch "$file" -o "$elf" -lm 2>/dev/null ||
  { echo "$name skip does not build"; exit; }
grep -q 'fopen' "$file" && { echo "$name skip uses files of the host"; exit; }
timeout 20 qemu-system-aarch64 -M virt -cpu max -m 256 -semihosting-config enable=on,target=native -nodefaults -display none \
  -serial null -kernel "$elf" >"$elf.qemu" 2>&1 || { echo "$name skip fails on QEMU ($?)"; rm -f "$elf"; exit; }
out=$(timeout 60 "$dmasim" exec "$elf" -s cpu.lse=$lse -s sim.instruction_limit=2000000000 2>&1 >"$elf.out")
rc=$?
if [ $rc != 0 ]; then
  echo "$name fail status $rc: $out"
elif ! cmp -s "$elf.out" "$elf.qemu"; then
  echo "$name fail other output than on QEMU"
else
  echo "$name pass"
fi
rm -f "$elf" "$elf.out" "$elf.qemu"
END
find "$source_dir" -maxdepth 2 -name '*.c' -path '*execute*' | grep -v '/builtins/' | sort | awk "NR % $step == 0" |
  xargs -P "$(nproc)" -I{} bash "$work/one.sh" {} "$work" "$dmasim" | sort >"$work/results"
pass=$(grep -c ' pass$' "$work/results")
fail=$(grep -c ' fail ' "$work/results")
echo "passed $pass, failed $fail, not comparable $(grep -c ' skip ' "$work/results")"
grep ' fail ' "$work/results"
[ "${TORTURE_LIST:-}" ] && cp "$work/results" "$TORTURE_LIST"
[ "$fail" = 0 ] && [ "$pass" -gt 0 ]
