#!/usr/bin/env bash
# usage: iommu_selftest.sh DMASIM: the guest's I/O page tables pass their own checks, and the number of DC operations and DSBs of a map
# and an unmap is the kernel's: the old unmap pays for every entry, the new one for every line and once for the run.
set -eu
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
"$1" run iommu-selftest -o "$out" --quiet
python3 - "$out/result.json" <<'END'
import json, sys
lines = {1: 1, 8: 1, 256: 32, 511: 64} # 8 entries each
expected = {}
for variant in ("old", "new", "exclusives"):
    def expect(case, dc, dsb):
        expected[variant, case] = (dc, dsb)
    for entries, dc in lines.items():
        expect(f"map:{entries}", dc, 2) # one for the run, one at the end of map_pages
        expect(f"unmap:{entries}", *((entries, entries) if variant == "old" else (dc, 1)))
    expect("map:fresh:1", 3 * (64 + 1) + 1, 3 * 2 + 2) # three tables: the page, and the entry that points to it
    expect("unmap:fresh:1", 1, 1)
    for case in ("fresh:1", "256"):
        expect("map:coherent:" + case, 0, 1)
        expect("unmap:coherent:" + case, 0, 0)
counts = {(c["variant"], c["case"]): (c["dc_ops"], c["dsbs"]) for c in json.load(open(sys.argv[1]))["counts"]}
wrong = [(key, counts.get(key), value) for key, value in expected.items() if counts.get(key) != value]
print(len(expected) - len(wrong), "passed,", len(wrong), "failed", wrong or "")
sys.exit(bool(wrong) or len(counts) != len(expected))
END
