#!/usr/bin/env bash
# usage: guides.sh DMASIM [GUIDE...]: the commands of the guides in docs/ work. Blocks marked "sh tested" run in order, each guide in
# a copy of the source tree's data; "status=N" is the status that the block ends with (else 0). Also: links lead to files.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
dmasim=$(realpath "$1") failed=0 count=0
shift
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export PATH=$(dirname "$dmasim"):$PATH
[ $# -gt 0 ] || set -- first-hour describe-your-soc add-a-guest-algorithm read-the-cycle-stack report determinism limits

# blocks FILE: writes N.sh and N.status into the current folder
blocks() {
  awk '/^```sh tested/ { n++; on = 1; status = 0; if (match($0, /status=[0-9]+/)) status = substr($0, RSTART + 7, RLENGTH - 7)
                         print status >(n ".status"); next }
       /^```/ { on = 0 } on { print >(n ".sh") }' "$1"
}
for guide; do
  work=$dir/$guide
  mkdir -p "$work/blocks"
  (cd "$root" && cp -r scenarios kernel-shim "$work")
  (cd "$work/blocks" && blocks "$root/docs/$guide.md")
  [ -e "$work/blocks/1.sh" ] || { echo "FAILED $guide: no tested commands"; failed=$((failed + 1)); }
  for ((n = 1; ; n++)); do
    block=$work/blocks/$n.sh
    [ -e "$block" ] || break
    count=$((count + 1))
    (cd "$work" && . "$work/environment" 2>/dev/null; cd "$work" && bash -euo pipefail -c '. "$0"; export -p >"$1"' "$block" "$work/environment") >"$dir/output" 2>&1 && rc=0 || rc=$?
    if [ "$rc" != "$(cat "$work/blocks/$n.status")" ]; then
      failed=$((failed + 1))
      echo "FAILED $guide, block $n: status $rc"
      sed 's/^/  | /' "$block" "$dir/output"
    fi
  done
  for link in $(grep -oE '\]\([^)#]+' "$root/docs/$guide.md" | cut -c3- | grep -v '^http'); do
    count=$((count + 1))
    [ -e "$root/docs/$link" ] || { failed=$((failed + 1)); echo "FAILED $guide: $link is not there"; }
  done
done
echo "$((count - failed)) passed, $failed failed"
[ "$failed" = 0 ]
