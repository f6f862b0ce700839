#!/usr/bin/env bash
# Runs guest tests on dmasim and, where qemu-system-aarch64 is installed, on QEMU's virt machine too, so that an expectation which is
# only this model's own is noticed. The word "silicon" asks for what QEMU does not model: caches, alignment of SP and of Device accesses.
# usage: run_guest_tests.sh DMASIM ELF...
set -u
dmasim=$1
shift
qemu=$(command -v qemu-system-aarch64)
failed=0

report() # NAME STATUS OUTPUT
{
  if [ "$2" = 0 ] && [ "${3##*$'\n'}" = passed ]; then
    echo "$1: passed"
  else
    printf '%s: status %s\n%s\n' "$1" "$2" "$3"
    failed=1
  fi
}

[ $# -gt 0 ] || { echo "usage: run_guest_tests.sh DMASIM ELF..." >&2; exit 2; }
for elf; do
  name=$(basename "$elf" .elf)
  for mode in false true; do # with timing, and functional only
    text=$(timeout 60 "$dmasim" exec "$elf" -s sim.instruction_limit=200000000 -s cpu.functional_only=$mode -- silicon 2>&1)
    report "$name on dmasim, functional_only=$mode" $? "$text"
  done
  [ "$qemu" ] || continue
  # -icount: virtual time counts instructions, so that a busy machine changes nothing
  text=$(timeout 60 "$qemu" -M virt,gic-version=3 -cpu max -icount shift=1,sleep=off -semihosting-config enable=on,target=native -nodefaults -display none \
    -serial null -kernel "$elf" 2>&1 </dev/null)
  report "$name on QEMU" $? "$text"
done
exit $failed
