#!/usr/bin/env bash
# usage: wrong.sh DMASIM: every scenario of tests/wrong gives exactly the messages of its .expected, from check and from run, and
# leaves no result. To write a new .expected: wrong.sh DMASIM NAME prints the messages; read them as a user would.
set -u
dmasim=$1 failed=0 count=0
cd "$(dirname "$0")/.."
[ $# = 1 ] || exec "$dmasim" check "tests/wrong/$2.yaml"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
for scenario in tests/wrong/*.yaml; do
  for how in check "run --quiet -o $dir/out"; do
    count=$((count + 1))
    "$dmasim" $how "$scenario" >"$dir/stdout" 2>"$dir/got" && rc=0 || rc=$?
    if [ "$rc" != 2 ] || ! diff "${scenario%.yaml}.expected" "$dir/got" || [ -s "$dir/stdout" ]; then
      failed=$((failed + 1))
      echo "FAILED $how $scenario: status $rc"
    fi
  done
done
[ "$count" -ge 40 ] || { echo "FAILED: only $count"; failed=$((failed + 1)); }
[ ! -e "$dir/out/result.json" ] || { echo 'FAILED: a result was left'; failed=$((failed + 1)); }
echo "$((count - failed)) passed, $failed failed"
[ "$failed" = 0 ]
