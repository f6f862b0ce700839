#!/usr/bin/env bash
# Prints the man page: docs/dmasim.1.in with the help texts of all commands.
# usage: tools/man_page.sh DMASIM
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
roff() { sed -e 's/\\/\\e/g' -e 's/-/\\-/g' -e "s/^[.']/\\\\\\&&/"; }
commands() {
  "$1" --help | sed -n 's/^  \([a-z]*\) .*/\1/p' | while read -r command; do
    printf '.SS dmasim %s\n.nf\n' "$command"
    "$1" "$command" --help | roff
    echo .fi
  done
}
version=$("$1" --version)
commands=$(commands "$1")
while IFS= read -r line; do
  case "$line" in
  @COMMANDS@) printf '%s\n' "$commands" ;;
  *) printf '%s\n' "${line//@VERSION@/${version#dmasim }}" ;;
  esac
done <"$root/docs/dmasim.1.in"
