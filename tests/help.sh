#!/usr/bin/env bash
# usage: help.sh DMASIM: each command explains itself with an example that is itself understood; bash completion; the man page.
set -u
dmasim=$1 failed=0 count=0
root=$(cd "$(dirname "$0")/.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
check() { # check NAME COMMAND...
  local name=$1
  shift
  count=$((count + 1))
  "$@" || { failed=$((failed + 1)); echo "FAILED $name"; }
}
commands=$("$dmasim" --help | sed -n 's/^  \([a-z]*\) .*/\1/p')
check 'the commands of the contract' [ "$(echo run exec check explain list compare sweep merge fit report | tr ' ' '\n' | grep -vxF "$commands")" = '' ]
for command in $commands; do
  help=$("$dmasim" "$command" --help 2>&1) && status=0 || status=$?
  check "$command --help" [ "$status" = 0 ]
  check "usage of $command" [ "${help%%[ $'\n']"$command"*}" = 'usage: dmasim' ]
  example=$(printf '%s\n' "$help" | sed -n 's/^example: dmasim //p')
  check "example of $command" [ "${example%% *}" = "$command" ]
  for option in $(printf '%s\n' "$example" | grep -oE -- ' --?[a-z]+'); do
    check "$command: option $option of the example" grep -qE -- "(^|[ ,])$option([ ,]|$)" <<<"$help"
  done
done

# completion
PATH=$(dirname "$dmasim"):$PATH
. "$root/tools/completion.bash"
complete_words() { # the answers for a command line whose last word is being written
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
  (cd "$dir" && _dmasim; echo ${COMPREPLY[*]+"${COMPREPLY[*]}"})
}
completes() { # completes 'ANSWERS' WORDS...
  local expected=$1 got
  shift
  got=$(complete_words "$@")
  check "completion of $*: $got" [ "$got" = "$expected" ]
}
completes 'sweep' dmasim sw
completes 'fit' dmasim f
completes 'report' dmasim rep
completes '--output' dmasim report --o
completes '--help --version' dmasim --
completes 'batched-sync-d9500' dmasim run batched-sync-d
completes 'unmap-tegra234-smmuv3 unmap-tegra234' dmasim sweep --vary cmo.slots=3 unmap-t
completes 'cmo.slots=' dmasim run batched-sync-d9500 -s cmo.sl
completes 'cmo.slots=' dmasim sweep --vary cmo.sl
completes 'cmo.slots' dmasim explain cmo.sl
completes 'rk3588' dmasim exec x.elf -p rk
completes 'local slurm' dmasim sweep --engine ''
completes '--resume' dmasim sweep --r
completes '--jobs --json --junit' dmasim run --j
touch "$dir/mine.yaml"
completes 'mine.yaml' dmasim check mi
completes '' dmasim sweep -j ''

# the man page has every command and no fault
"$root/tools/man_page.sh" "$dmasim" >"$dir/dmasim.1"
text=$(groff -man -Tascii -ww -P-cbou "$dir/dmasim.1" 2>"$dir/warnings")
check "man page: $(head -3 "$dir/warnings")" [ ! -s "$dir/warnings" ]
for command in $commands; do
  check "man page: $command" grep -q "^   dmasim $command\$" <<<"$text"
  for option in $("$dmasim" "$command" --help | grep -oE -- '--[a-z][a-z-]+' | sort -u); do
    check "man page: $command $option" grep -qF -- "$option" <<<"$text"
  done
done
echo "$((count - failed)) passed, $failed failed"
[ "$failed" = 0 ]
