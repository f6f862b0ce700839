#!/usr/bin/env bash
# usage: path_counts.sh DMASIM: the number of DC operations and DSBs of a list through bounce buffers, under Xen, linked into a range of
# IOVAs and with the work-around of erratum 4311569 is the kernel's.
set -eu
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
for scenario in swiotlb-bounce swiotlb-xen iova-link erratum-4311569; do
  "$1" run $scenario -s iterations=1 -o "$out/$scenario" --quiet
done
python3 - "$out" <<'END'
import json, sys
expected = {}
def expect(scenario, case, variant, dc, dsb):
    expected[scenario, case, variant] = (dc, dsb)
for n in (1, 16, 64, 256): # a copy waits for its own maintenance; the list once more
    for variant, map_dsbs, unmap_dsbs in (("per-entry", n, n), ("v2", n + 1, 1), ("v3", n + 1, n + 1)):
        expect("swiotlb-bounce", f"{n} map", variant, 64 * n, map_dsbs)
        expect("swiotlb-bounce", f"{n} unmap", variant, 64 * n, unmap_dsbs)
for memory in ("own", "bounced", "foreign"): # the hypervisor has a DSB before the loop, too; a bounced unmap waits twice
    for variant in ("per-entry", "batched"):
        twice = memory == "foreign"
        expect("swiotlb-xen", memory + " map", variant, 64 * 256, 512 if twice else 256)
        expect("swiotlb-xen", memory + " unmap", variant, 64 * 256, 512 if twice or (memory, variant) == ("bounced", "batched") else 256)
for n in (1, 4, 16, 64, 256, 1024): # a link ends with the DSB ST of map_pages
    for variant in ("per-entry", "batched"):
        dsbs = n if variant == "per-entry" else 1
        expect("iova-link", f"{n} link", variant, 64 * n, n + dsbs)
        expect("iova-link", f"{n} unlink", variant, 64 * n, dsbs)
expect("erratum-4311569", "bidirectional map", "one-loop", 64, 1)
expect("erratum-4311569", "bidirectional map", "two-loops", 128, 1)
expect("erratum-4311569", "bidirectional unmap", "two-loops", 64, 1) # invalidations are not repeated
counts = {}
for scenario in {key[0] for key in expected}:
    for c in json.load(open(f"{sys.argv[1]}/{scenario}/result.json"))["counts"]:
        counts[scenario, c["case"], c["variant"]] = (c["dc_ops"], c["dsbs"])
wrong = [(key, counts.get(key), value) for key, value in expected.items() if counts.get(key) != value]
print(len(expected) - len(wrong), "passed,", len(wrong), "failed", wrong or "")
sys.exit(bool(wrong))
END
