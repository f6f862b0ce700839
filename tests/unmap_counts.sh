#!/usr/bin/env bash
# usage: unmap_counts.sh DMASIM: how many TLBI and CMD_SYNC commands an unmap issues, with and without range commands (kernel:
# arm_smmu_tlb_inv_range), and that a lazy unmap issues none until its flush.
set -eu
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
"$1" run unmap-smmuv3 -o "$out" --quiet
"$1" run unmap-smmuv3 -s lazy=1 -o "$out/lazy" --quiet --json "$out/lazy.json" >/dev/null 2>&1 || true # the published values are of strict mode
python3 - "$out/result.json" "$out/lazy.json" <<'PY'
import json, sys
counts = json.load(open(sys.argv[1]))["counts"]
pages = {"4KB": 1, "8KB": 2, "16KB": 4, "32KB": 8, "64KB": 16, "128KB": 32, "256KB": 64, "512KB": 128, "1MB": 256, "2MB": 1, "4MB": 2}
got = {(c["case"], c["variant"]): (c.get("tlbi", 0), c.get("syncs", 0)) for c in counts}
wrong = []
for case, tlbi in pages.items():
    for variant, expected in (("per-page", (tlbi, 1)), ("range", (1, 1))):
        if got[case + " unmap", variant] != expected:
            wrong.append((case, variant, got[case + " unmap", variant], expected))
    if got[case + " map", "per-page"] != (0, 0):
        wrong.append((case, "map", got[case + " map", "per-page"]))
for c in json.load(open(sys.argv[2]))["counts"]:
    if c.get("tlbi", 0) or c.get("syncs", 0):
        wrong.append(("lazy", c))
sys.exit(f"wrong counts: {wrong}" if wrong else 0)
PY
