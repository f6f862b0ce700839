#!/usr/bin/env bash
# usage: refit.sh DMASIM: fitting the shipped platforms again gives their files; from far away, the same values but for the last digits.
set -u
dmasim=$1
platforms=$(cd "$(dirname "$0")/../scenarios/platforms" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
failed=0
fit() { "$dmasim" fit "$@" --quiet >log || { cat log; failed=1; }; }
near() { # near SHIPPED FITTED: every value within half a percent
  python3 - "$@" <<'PY' || failed=1
import re, sys
unit = {"ps": 1, "ns": 1000, "us": 1000000}
def values(path):
    return {key: float(number) * unit[u] for key, number, u in re.findall(r"^  (\S+): \{value: ([\d.]+)(ps|ns|us)", open(path).read(), re.M)}
shipped, fitted = map(values, sys.argv[1:])
far = {key: (value, fitted[key]) for key, value in shipped.items() if abs(fitted[key] / value - 1) > 0.005}
sys.exit(f"far from what is shipped: {far}" if far else 0)
PY
}
fit unmap-tegra234 -o tegra.yaml
cmp tegra.yaml "$platforms/tegra234.yaml" || failed=1
fit unmap-tegra234 -o far.yaml --start cpu.dsb_restart_ps=20ns --start cmo.issue_absent_ps=3ns --start cmo.issue_l2_ps=1500ps \
  --start cmo.issue_l3_ps=3ns --start mmio.read_ps=300ns --start mmio.write_ps=600ns
near "$platforms/tegra234.yaml" far.yaml
fit batched-sync-d9500 -o d9500.yaml
cmp d9500.yaml "$platforms/dimensity9500.yaml" || failed=1
fit batched-sync-d9500 -o far.yaml -s iterations=20 --start cmo.clean_ps=80ns
near "$platforms/dimensity9500.yaml" far.yaml
fit skip-sync-100g -o server.yaml
cmp server.yaml "$platforms/server-100g.yaml" || failed=1
fit skip-sync-100g -o far.yaml --start net.receive_instructions=400
cmp far.yaml "$platforms/server-100g.yaml" || failed=1
[ $failed = 0 ] && echo "4 passed, 0 failed"
exit $failed
