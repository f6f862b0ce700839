#!/usr/bin/env bash
# Runs the syndromes program on dmasim, timed and functional, and compares with expected.txt; where qemu-system-aarch64 7.2 is installed, QEMU
# must print the same but for the lines of qemu.txt.
# usage: run_syndromes.sh DMASIM ELF
set -u
dmasim=$1
elf=$2
here=$(cd "$(dirname "$0")" && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
failed=0

for mode in false true; do
  timeout 60 "$dmasim" exec "$elf" -s cpu.functional_only=$mode >"$out/dmasim.txt" || failed=1
  diff "$here/expected.txt" "$out/dmasim.txt" || failed=1
done

qemu=$(command -v qemu-system-aarch64)
if [ "$qemu" ] && "$qemu" --version | grep -q 'version 7\.2'; then
  timeout 60 "$qemu" -M virt,gic-version=3 -cpu cortex-a76 -semihosting-config enable=on,target=native -nodefaults -display none \
    -serial null -kernel "$elf" >"$out/qemu.txt" 2>&1 </dev/null
  # a case is named by what stands before the last ": "
  awk '{ name = $0; sub(/: [^:]*$/, "", name) }
    /^#/ { next }
    NR == FNR { other[name] = $0; next }
    { print name in other ? other[name] : $0 }' "$here/qemu.txt" "$here/expected.txt" >"$out/qemu_expected.txt"
  diff "$out/qemu_expected.txt" "$out/qemu.txt" || failed=1
fi
[ $failed = 0 ] && echo "$(wc -l <"$here/expected.txt") cases agree"
exit $failed
