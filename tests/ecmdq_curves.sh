#!/usr/bin/env bash
# usage: ecmdq_curves.sh DMASIM: what the curves of ECMDQs and engines must show whatever the values are.
set -u
dmasim=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
run() { # run NAME KEY=VALUE...: prints the operations per core and second
  local name=$1 sets=()
  shift
  for set in "$@"; do sets+=(-s "$set"); done
  timeout 100 "$dmasim" run ecmdq-count -s intervals_least=4 -s intervals_most=4 "${sets[@]}" -o "$dir/$name" --quiet >&2 || exit 1
  python3 -c 'import json, sys; print(next(r["value"] for r in json.load(open(sys.argv[1]))["rows"] if r["metric"] == "ops_per_cpu"))' "$dir/$name/result.json"
}
passed=0 failed=0
check() { # check WHAT EXPRESSION
  if python3 -c "import sys; sys.exit(not ($2))"; then passed=$((passed + 1)); else echo "failed: $1: $2"; failed=$((failed + 1)); fi
}
plain=$(run plain cpu.cores=16 ecmdq_queues=0 smmu.cmdq_bits=8) # as deep as an ECMDQ
one=$(run one cpu.cores=16 ecmdq_queues=1)
check "one ECMDQ shared by all meets the CMDQ" "abs($one / $plain - 1) < 0.03"
slow="smmu.tlbi_ps=300ns"
few=$(run few cpu.cores=16 ecmdq_queues=4 smmu.engines=1 $slow)
many=$(run many cpu.cores=16 ecmdq_queues=16 smmu.engines=1 $slow)
engines=$(run engines cpu.cores=16 ecmdq_queues=16 smmu.engines=4 $slow)
check "with one engine more queues do not raise the limit" "$many < 1.02 * $few"
check "more engines raise the limit" "$engines > 1.5 * $many"
most=$(run most cpu.cores=128 ecmdq_queues=128 smmu.engines=8 intervals_least=2 intervals_most=2)
check "128 cores" "$most > 0"
echo "$passed passed, $failed failed"
[ $failed = 0 ]
