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
cat >"$out/lockup.yaml" <<'END'
scenario: lockup
description: the old lock starves those that wait to share it when the lists of all cores exceed the queue
platform: kunpeng920
guest: smmu_selftest
params: {cpu.cores: 8, queue_bits: 7, sim.time_limit_ps: 20ms}
variants:
  lock-old: {build: lock_old}
END
if "$1" run "$out/lockup.yaml" -o "$out" --quiet >"$out/log" 2>&1; then
  echo "a lock-up was not noticed"
  exit 1
fi
grep -q 'the simulated time limit (sim.time_limit_ps) is reached; core 0 .*; [1-8] cores in arm_smmu_cmdq_' "$out/log" || { cat "$out/log"; exit 1; }
