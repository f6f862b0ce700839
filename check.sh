#!/usr/bin/env bash
# Installs what is missing, builds, and runs the tests; --full adds the long suites.
set -eu
cd "$(dirname "$0")"
. tools/packages.sh
install_packages $BUILD_PACKAGES $TEST_PACKAGES
build_preset release -DDMASIM_TESTS=ON
label=(-LE full)
if [ "${1:-}" = --full ]; then
  label=()
  export DMASIM_FULL=1
elif [ $# -gt 0 ]; then
  echo "usage: ./check.sh [--full]" >&2
  exit 2
fi
exec ctest --preset release -j "$(nproc)" "${label[@]}"
