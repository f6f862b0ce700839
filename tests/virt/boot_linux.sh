#!/usr/bin/env bash
# Boots an unmodified arm64 Linux image (its file vmlinuz or Image, not compressed) until it looks for a root file system, on four cores at
# EL1 and EL2. Not part of CTest, as no kernel for arm64 is among the packages of an amd64 Debian; to get one into a folder of its own:
#   apt-get -o Dir::State::lists=$PWD/lists -o Dir::Cache=$PWD/cache -o APT::Architecture=arm64 -o APT::Architectures=arm64 update
#   ... download linux-image-6.1.0-50-cloud-arm64; dpkg-deb -x linux-image-*.deb .
# usage: boot_linux.sh DMASIM IMAGE [KEY=VALUE...]
set -eu
dmasim=$1 image=$(realpath "$2")
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/image.S" <<END
    .section .image, "ax"
    .global _start
_start: .incbin "$image"
END
cat >"$work/image.ld" <<'END'
ENTRY(_start)
PHDRS { all PT_LOAD FLAGS(7); }
SECTIONS { . = 0x40200000; .image : { *(.image) } :all /DISCARD/ : { *(.note*) } }
END
aarch64-linux-gnu-gcc -nostdlib -static -Wl,--build-id=none -Wl,--no-warn-rwx-segments -T "$work/image.ld" "$work/image.S" -o "$work/linux.elf"
for el in 1 2; do
  timeout 600 "$dmasim" exec "$work/linux.elf" -s cpu.cores=4 -s ram.bytes=512MiB -s exec.el=$el "${@/#/-s}" \
    -- console=ttyAMA0 panic=-1 >"$work/out" || { tail -5 "$work/out"; echo "EL$el: ended with $?"; exit 1; }
  grep -q 'Brought up 1 node, 4 CPUs' "$work/out" && grep -q 'Unable to mount root fs' "$work/out" || { tail -5 "$work/out"; exit 1; }
  echo "EL$el: $(wc -l <"$work/out") lines to the missing root file system, then PSCI reset"
done
