#!/usr/bin/env bash
# usage: install.sh BUILD: an installed tree works from elsewhere, under any prefix and with DESTDIR, also within a source tree; another
# SystemC program finds the SMMU module in it.
set -u
build=$(realpath "$1") failed=0 count=0
root=$(cd "$(dirname "$0")/.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
unset DMASIM_GUEST_DIR DMASIM_SCENARIO_DIR DMASIM_TEMPLATE_DIR
check() { # check NAME COMMAND...
  local name=$1
  shift
  count=$((count + 1))
  "$@" >"$dir/output" 2>&1 || { failed=$((failed + 1)); echo "FAILED $name"; tail -20 "$dir/output" | sed 's/^/  | /'; }
}
is() { [ "$1" = "$2" ] || { printf 'got %s instead of %s\n' "$1" "$2"; return 1; }; }
# all data of an installed command come from its own prefix, in each folder
uses_own_data() { # uses_own_data PREFIX
  check "$1: where its data are" is "$(cd / && "$1/bin/dmasim" list | sed -n 's/^.* (\(.*\))$/\1/p' | xargs realpath | sort | tr '\n' ' ')" \
    "$1/share/dmasim/guest $1/share/dmasim/scenarios $1/share/dmasim/scenarios/platforms "
  check "$1: runs a scenario" bash -c "cd '$dir' && '$1/bin/dmasim' run batched-sync-rk3588 -s iterations=1 -s entries=4 -o '$1.out' --quiet"
  check "$1: writes a report" bash -c "cd '$dir' && '$1/bin/dmasim' report '$1.out' -o '$1.html' --quiet && grep -q 'batched-sync-rk3588' '$1.html'"
}

check 'cmake --install' cmake --install "$build" --prefix "$dir/one/usr"
uses_own_data "$dir/one/usr"
for file in man/man1/dmasim.1 bash-completion/completions/dmasim dmasim/scenarios/README.md; do
  check "share/$file" [ -s "$dir/one/usr/share/$file" ]
done
check 'a link to the command' bash -c "ln -s '$dir/one/usr/bin/dmasim' '$dir/link' && '$dir/link' check batched-sync-d9500"
mv "$dir/one/usr" "$dir/moved"
uses_own_data "$dir/moved"

# within something that looks like a source tree
mkdir -p "$dir/tree/scenarios/platforms" "$dir/tree/guest" "$dir/tree/template"
check 'DESTDIR' env DESTDIR="$dir/staged" cmake --install "$build" --prefix /opt/dmasim
mv "$dir/staged/opt/dmasim" "$dir/tree/inst"
uses_own_data "$dir/tree/inst"

# find_package(dmasim)
prefix=$dir/moved
check 'the example is configured' cmake -G Ninja -S "$root/examples/smmu-testbench" -B "$dir/testbench" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Release
check 'the package is the installed one' grep -q "^dmasim_DIR:PATH=$prefix/" "$dir/testbench/CMakeCache.txt"
check 'the example is built' cmake --build "$dir/testbench"
check 'the example works' "$dir/testbench/smmu_testbench"
check 'what the example says' is "$("$dir/testbench/smmu_testbench" 2>/dev/null | sed -n 's/^.*ns: //p' | tr '\n' ';')" \
  'CMD_CFGI_ALL and CMD_SYNC are consumed;a write to 0x40008000 arrived at 0x8000;a write to 0x8000 was refused;'
check 'headers need nothing of the source tree' bash -c "! grep -rnF '$root' '$prefix/include' '$prefix/lib/cmake' '$prefix'/lib/*/cmake"
echo "$((count - failed)) passed, $failed failed"
[ "$failed" = 0 ]
