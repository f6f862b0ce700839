#!/usr/bin/env bash
# The integer part of GCC's torture suite (gcc-12-source, gcc.c-torture/execute), built bare-metal with picolibc, on QEMU and on
# dmasim: every program that QEMU passes must pass here. library.c stands for the library functions that use FP/SIMD registers; what
# still needs them is listed as such and not counted.
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
-specs=$pico --oslib=semihost --crt0=semihost -DPICOLIBC_INTEGER_PRINTF_SCANF -static -O2 -w -mgeneral-regs-only -mno-outline-atomics
-std=gnu17 -Wl,--defsym=__flash=0x40080000 -Wl,--defsym=__flash_size=0x800000 -Wl,--defsym=__ram=0x41000000
-Wl,--defsym=__ram_size=0x1000000 -Wl,--defsym=__stack_size=0x200000 -Wl,--no-warn-rwx-segments
END
aarch64-linux-gnu-gcc $(cat "$work/flags") -fno-builtin -c "$(dirname "$0")/library.c" -o "$work/library.o" || exit 1

cat >"$work/one.sh" <<'END'
# one program: prints "pass", "fail WHY", "simd", "skip WHY"
file=$1 work=$2 dmasim=$3
name=$(basename "$file" .c)
elf=$work/$name.elf
# half of the programs without LSE: libraries and compiler then use exclusives, and the core must do without it
arch=armv8-a+lse lse=true
[ $(($(cksum <<<"$name" | cut -d' ' -f1) % 2)) = 0 ] && arch=armv8-a lse=false
aarch64-linux-gnu-gcc $(cat "$work/flags") -march=$arch "$file" "$work/library.o" -o "$elf" 2>/dev/null ||
  { echo "$name skip does not build with -mgeneral-regs-only"; exit; }
grep -q 'fopen' "$file" && { echo "$name skip uses files of the host"; exit; }
timeout 20 qemu-system-aarch64 -M virt -cpu max -m 256 -semihosting-config enable=on,target=native -nodefaults -display none \
  -serial null -kernel "$elf" >/dev/null 2>&1 || { echo "$name skip fails on QEMU ($?)"; rm -f "$elf"; exit; }
out=$(timeout 60 "$dmasim" exec "$elf" -s cpu.lse=$lse -s sim.instruction_limit=2000000000 2>&1 >/dev/null)
rc=$?
if [ $rc = 0 ]; then
  echo "$name pass"
else
  # Undefined at an FP/SIMD instruction is the known limit
  elr=$(printf %s "$out" | sed -n 's/.*ESR 0x2000000 ELR 0x\([0-9a-f]*\).*/\1/p')
  if [ "$elr" ] && aarch64-linux-gnu-objdump -d "$elf" | grep "^ *$elr:" | grep -qE '[^a-z0-9][vqdsbh][0-9]+[^a-z0-9x]|[vqdsbh][0-9]+$'; then
    echo "$name simd needs FP/SIMD registers at 0x$elr"
  else
    echo "$name fail status $rc: $out"
  fi
fi
rm -f "$elf"
END
find "$source_dir" -maxdepth 1 -name '*.c' | sort | awk "NR % $step == 0" |
  xargs -P "$(nproc)" -I{} bash "$work/one.sh" {} "$work" "$dmasim" | sort >"$work/results"
pass=$(grep -c ' pass$' "$work/results")
fail=$(grep -c ' fail ' "$work/results")
echo "passed $pass, failed $fail, needs SIMD $(grep -c ' simd ' "$work/results"), not comparable $(grep -c ' skip ' "$work/results")"
grep -E ' (fail|simd) ' "$work/results"
[ "${TORTURE_LIST:-}" ] && cp "$work/results" "$TORTURE_LIST"
[ "$fail" = 0 ] && [ "$pass" -gt 0 ]
