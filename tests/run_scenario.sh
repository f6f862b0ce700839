#!/usr/bin/env bash
# usage: run_scenario.sh DMASIM SCENARIO: runs it, and compares every row with results/reference/.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
"$1" run "$2" -o "$out" --quiet
"$1" compare "$root/results/reference/$2.json" "$out/result.json"
