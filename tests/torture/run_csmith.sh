#!/usr/bin/env bash
# Programs that csmith makes up, with and without floating point, at -O2 and -O3: dmasim must print what QEMU prints.
# usage: run_csmith.sh DMASIM SEEDS [FIRST]
set -u
dmasim=$(realpath "$1") seeds=$2 first=${3:-1}
pico=/usr/lib/picolibc/aarch64-linux-gnu/picolibc.specs
for need in csmith qemu-system-aarch64; do
  command -v $need >/dev/null || { echo "skipped: $need is not installed"; exit 77; }
done
[ -e "$pico" ] && [ -e /usr/include/csmith/csmith.h ] || { echo "skipped: picolibc or libcsmith-dev is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/one.sh" <<END
# one seed: prints "pass", "fail WHY", "skip WHY"
seed=\$1
base=$work/\$seed
float=; [ \$((seed % 2)) = 0 ] && float=--float
level=-O2; [ \$((seed % 3)) = 0 ] && level=-O3
csmith --seed \$seed \$float >\$base.c
aarch64-linux-gnu-gcc -specs=$pico --oslib=semihost --crt0=semihost -static \$level -w -mno-outline-atomics -I/usr/include/csmith \\
  -Wl,--defsym=__flash=0x40080000 -Wl,--defsym=__flash_size=0x800000 -Wl,--defsym=__ram=0x41000000 \\
  -Wl,--defsym=__ram_size=0x1000000 -Wl,--defsym=__stack_size=0x200000 -Wl,--no-warn-rwx-segments \\
  \$base.c -o \$base.elf -lm 2>\$base.log || { echo "seed \$seed skip does not build"; exit; }
timeout 10 qemu-system-aarch64 -M virt -cpu max -m 256 -semihosting-config enable=on,target=native -nodefaults -display none \\
  -serial null -kernel \$base.elf >\$base.qemu 2>&1 </dev/null || { echo "seed \$seed skip does not end on QEMU"; exit; }
timeout 60 $dmasim exec \$base.elf -s sim.instruction_limit=4000000000 >\$base.out 2>\$base.log
if [ \$? = 0 ] && cmp -s \$base.out \$base.qemu && grep -q checksum \$base.out; then
  echo "seed \$seed pass"
else
  echo "seed \$seed fail (\$level \$float): \$(head -1 \$base.log)"
fi
rm -f \$base.*
END
seq "$first" $((first + seeds - 1)) | xargs -P "$(nproc)" -I{} bash "$work/one.sh" {} >"$work/results"
pass=$(grep -c ' pass$' "$work/results")
fail=$(grep -c ' fail ' "$work/results")
echo "passed $pass, failed $fail, not comparable $(grep -c ' skip ' "$work/results")"
grep -E ' (fail|skip) ' "$work/results"
[ "$fail" = 0 ] && [ "$pass" -gt $((seeds / 2)) ]
