#!/usr/bin/env bash
# Prints docs/smmu-compliance.md from the tables of the model. usage: tools/smmu_compliance.sh DMASIM
set -eu
cat <<'TEXT'
# SMMUv3: what is implemented

Made by `tools/smmu_compliance.sh` from the tables that the model itself uses (`dmasim explain smmu`); a test compares. *functional*: does what the
architecture says; *stored*: reads back what was written, without effect; *not implemented*: reads as zero, writes are ignored, or as noted.

```
TEXT
"$1" explain smmu | sed 's/ *$//'
echo '```'
