#!/usr/bin/env bash
# Renews results/reference/ after a wanted change of results: prints the differences first, then writes.
# usage: tools/renew_reference.sh SCENARIO...
set -eu
cd "$(dirname "$0")/.."
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
for scenario in "$@"; do
  build/release/dmasim run "$scenario" -o "$out" --quiet
  [ -e "results/reference/$scenario.json" ] && build/release/dmasim compare "results/reference/$scenario.json" "$out/result.json" || true
  sed -z 's/,\n  "host": {[^}]*}//' "$out/result.json" >"results/reference/$scenario.json"
done
