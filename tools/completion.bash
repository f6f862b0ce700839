# bash completion of dmasim: everything comes from the command itself (its help, `list` and `explain`).
_dmasim_names() { # TITLE: the names under this title of `dmasim list`
  "$dmasim" list 2>/dev/null | awk -v title="$1" '/^[^ ]/ { on = index($0, title " (") == 1 } /^ / && on { print $1 }'
}
_dmasim() {
  local dmasim=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} words=
  COMPREPLY=()
  compopt +o nospace 2>/dev/null
  if [ "$COMP_CWORD" = 1 ]; then
    words="$("$dmasim" --help 2>/dev/null | sed -n 's/^  \([a-z]*\) .*/\1/p') --help --version"
  elif [[ $before = -s || $before = --set || $before = --vary || $before = --free || $before = --start ]] || [ "$command" = explain ]; then
    words=$("$dmasim" explain 2>/dev/null | awk '{ print $1 }')
    [ "$command" = explain ] || compopt -o nospace 2>/dev/null
    [ "$command" = explain ] || words=$(printf '%s=\n' $words)
  elif [[ $before = -p || $before = --platform ]]; then
    words=$(_dmasim_names platforms)
  elif [ "$before" = --engine ]; then
    words='local slurm'
  elif [[ $word = -* ]]; then
    words=$("$dmasim" "$command" --help 2>/dev/null | grep -oE -- '(^|[ ,])--?[a-zA-Z][a-z-]*' | tr -d ' ,' | sort -u)
  elif [[ $before = -j || $before = --jobs || $before = --point || $before = --budget || $before = --rows || $before = --tol || $before = --trace-from || $before = --trace-to || $before = --trace-events ]]; then
    return
  elif [[ $before != -o && $before != --output ]] && [[ $command = run || $command = sweep || $command = fit || $command = check ]]; then
    words=$(_dmasim_names scenarios)
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  [ "$COMP_CWORD" = 1 ] || [[ $word = -* ]] || mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$word")
}
complete -F _dmasim dmasim
