#!/usr/bin/env bash
# Programs for QEMU's virt machine, unchanged: what each prints on dmasim, timed and functional only, must be what the list says, and, where
# qemu-system-aarch64 is installed, what it prints there. QEMU gets the program as an arm64 image, since it passes a device tree in X0 only then.
# usage: run_virt_tests.sh DMASIM ELF [EL]   EL: 1 (default) or 2
set -u
dmasim=$1 elf=$2 el=${3:-1}
here=$(cd "$(dirname "$0")" && pwd)
name=$(basename "$elf" .elf)
expected=$here/expected/$name-el$el.txt
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
failed=0

for mode in false true; do
  timeout 60 "$dmasim" exec "$elf" -s cpu.cores=4 -s ram.bytes=256MiB -s exec.el=$el -s cpu.functional_only=$mode \
    -s sim.instruction_limit=100000000 -- first=1 second >"$out/dmasim.txt" 2>&1 || { echo "$name: dmasim ends with $?"; failed=1; }
  diff "$expected" "$out/dmasim.txt" || { echo "$name: dmasim, functional_only=$mode"; failed=1; }
done
if command -v qemu-system-aarch64 >/dev/null; then
  virtualization=off
  [ "$el" = 2 ] && virtualization=on
  aarch64-linux-gnu-objcopy -O binary "$elf" "$out/image"
  timeout 60 qemu-system-aarch64 -M virt,gic-version=3,virtualization=$virtualization -cpu cortex-a72 -smp 4 -m 256 -no-reboot -nodefaults \
    -display none -monitor none -serial stdio -kernel "$out/image" -append "first=1 second" </dev/null 2>&1 | tr -d '\r' >"$out/qemu.txt"
  diff "$expected" "$out/qemu.txt" || { echo "$name: QEMU"; failed=1; }
fi
[ $failed = 0 ] && echo "$name at EL$el: $(wc -l <"$expected") lines agree"
exit $failed
