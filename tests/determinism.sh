#!/usr/bin/env bash
# The same bytes outside "host" from gcc and clang, release and debug, and from two different folders.
# usage: determinism.sh DMASIM   (compares builds made here with what DMASIM gives)
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
dmasim=$(realpath "$1")
command -v clang++ >/dev/null || { echo "skipped: clang is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$root" && git ls-files -z | xargs -0 cp --parents -t "$work")
cd "$work"
for preset in clang debug; do
  cmake --preset "$preset" -DDMASIM_TESTS=OFF >/dev/null
  cmake --build --preset "$preset" >/dev/null
done
status=0
for scenario in batched-sync-sizes litmus-dma litmus-cores; do
  "$dmasim" run "$scenario" -o here --quiet
  for preset in clang debug; do
    "build/$preset/dmasim" run "$scenario" -o there --quiet
    if cmp <(sed '/"host": {/,$d' here/result.json) <(sed '/"host": {/,$d' there/result.json); then
      echo "$scenario, $preset: the same"
    else
      status=1
    fi
  done
done
exit $status
