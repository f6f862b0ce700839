#!/usr/bin/env bash
# usage: sync_corners.sh DMASIM: the number of DC operations and DSBs in each corner case of a cache sync is the kernel's.
set -eu
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
"$1" run sync-corners -o "$out" --quiet
python3 - "$out/result.json" <<'END'
import json, sys
expected = {"device:0:64": 1, "device:0:0": 1, "device:1:1": 1, "device:63:2": 2, "device:0:4096": 64,
            "cpu:0:64": 1, "cpu:0:32": 2, "cpu:8:16": 2, "cpu:32:64": 2, "cpu:0:4096": 64, "cpu:32:128": 3, "cpu:0:65": 2}
counts = json.load(open(sys.argv[1]))["counts"]
wrong = [(c["variant"], c["case"], c["dc_ops"], c["dsbs"]) for c in counts
         if c["dc_ops"] != expected[c["case"]] or c["dsbs"] != 1]
print(len(counts) - len(wrong), "passed,", len(wrong), "failed", wrong or "")
sys.exit(bool(wrong) or len(counts) != 2 * len(expected))
END
