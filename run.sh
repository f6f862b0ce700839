#!/usr/bin/env bash
# Installs what is missing, builds, and runs dmasim with the arguments given (none: the batched cache sync table).
set -eu
cd "$(dirname "$0")"
. tools/packages.sh
install_packages $BUILD_PACKAGES
build_preset release -DDMASIM_TESTS=OFF
[ $# -gt 0 ] || set -- run batched-sync-d9500
exec build/release/dmasim "$@"
