#!/usr/bin/env bash
# usage: smmu_selftest.sh DMASIM: the SMMUv3 driver's own checks pass; the wait for an SMMU that does nothing ends after a second, also
# where it sleeps in WFE.
set -eu
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
"$1" run smmu-selftest -o "$out" --quiet
cat >"$out/stuck.yaml" <<'END'
scenario: stuck
description: the three ways to wait for a CMD_SYNC that never completes
platform: kunpeng920
guest: smmu_selftest
params: {cpu.cores: 2, stuck: 1}
variants:
  lse: {build: lse}
cases:
  msi: {}
  sev: {disable_msipolling: 1}
  register: {disable_msipolling: 1, smmu.sev: false}
END
if "$1" run "$out/stuck.yaml" -o "$out" --quiet >"$out/log" 2>&1; then
  echo "a stuck SMMU was not noticed"
  exit 1
fi
timeouts=$(grep -c 'the command queue made no progress for a second$' "$out/log") || true
echo "$timeouts of 3 waits for a stuck SMMU end"
[ "$timeouts" -eq 3 ]
