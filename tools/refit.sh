#!/usr/bin/env bash
# Fits the platforms again after a wanted change of the models, and renews the references of the scenarios that use them.
# usage: tools/refit.sh
set -eu
cd "$(dirname "$0")/.."
for fit in unmap-tegra234:tegra234 batched-sync-d9500:dimensity9500 skip-sync-100g:server-100g; do
  platform=scenarios/platforms/${fit#*:}.yaml
  before=
  for ((i = 0; i < 5; i++)); do # a fit begins at the values of the last one: until it finds the same again
    before=$(cat "$platform")
    build/release/dmasim fit "${fit%:*}" -o "$platform"
    [ "$before" != "$(cat "$platform")" ] || break
  done
  for scenario in $(grep -l "^platform: ${fit#*:}$" scenarios/*.yaml); do
    scenario=$(basename "$scenario" .yaml)
    [ ! -e "results/reference/$scenario.json" ] || tools/renew_reference.sh "$scenario"
  done
done
