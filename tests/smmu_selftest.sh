#!/usr/bin/env bash
# usage: smmu_selftest.sh DMASIM: the SMMUv3 driver's own checks pass; the wait for an SMMU that does nothing ends after a second, also
# where it sleeps in WFE.
set -eu
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
"$1" run smmu-selftest -o "$out" --quiet
if "$1" run smmu-selftest -s stuck=1 -o "$out" --quiet >"$out/log" 2>&1; then
  echo "a stuck SMMU was not noticed"
  exit 1
fi
runs=$(grep -c '^smmu-selftest, variant' "$out/log")
timeouts=$(grep -c 'the command queue made no progress for a second$' "$out/log")
echo "$timeouts of $runs stuck runs end with a timeout"
[ "$runs" -gt 0 ] && [ "$timeouts" -eq "$runs" ]
