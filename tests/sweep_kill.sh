#!/usr/bin/env bash
# usage: sweep_kill.sh DMASIM: kill -9 of a sweep or of a process of it, at random times, 50 times (10 without DMASIM_FULL); resumed,
# it gives the folder of an undisturbed sweep, and no point that was there runs again.
set -u
dmasim=$1 kills=10
[ -z "${DMASIM_FULL:-}" ] || kills=50
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
RANDOM=${SEED:-7}
sweep() { exec "$dmasim" sweep batched-sync-rk3588 -s entries=256 -s iterations=10 --vary cmo.slots=$(seq -s, 1 40) -j 3 --quiet -o "$@"; }
descendants() { # of a process, and itself
  local child
  echo "$1"
  for child in $(cat "/proc/$1/task/$1/children" 2>/dev/null); do descendants "$child"; done
}
# Every point is whole; what was there before is there still and has not been written again.
inspect() {
  python3 - killed/points stamps <<'PY'
import json, os, sys
points, stamps = sys.argv[1:]
before = json.load(open(stamps)) if os.path.exists(stamps) else {}
now = {}
for name in os.listdir(points) if os.path.isdir(points) else []:
    if name.endswith(".json"):
        json.load(open(f"{points}/{name}"))
        status = os.stat(f"{points}/{name}")
        now[name] = [status.st_ino, status.st_mtime_ns]
changed = [name for name in before if now.get(name) != before[name]]
json.dump(now, open(stamps, "w"))
sys.exit(f"lost or repeated: {changed}" if changed else 0)
PY
}
(sweep undisturbed) || exit 1
wrong=0 anew=0 whole=0 parts=0
while [ $((whole + parts)) -lt "$kills" ]; do
  (sweep killed --resume) >log 2>&1 &
  pid=$!
  sleep "0.$((RANDOM % 6))$((RANDOM % 10))"
  tree=($(descendants $pid))
  victim=${tree[$((RANDOM % 2 ? 0 : RANDOM % ${#tree[@]}))]}
  if kill -9 "$victim" 2>/dev/null; then
    [ "$victim" = "$pid" ] && whole=$((whole + 1)) || parts=$((parts + 1))
  fi
  if [ "$victim" != "$pid" ]; then # the sweep must survive the loss of a process
    sleep "0.$((RANDOM % 3))"
    kill -9 $pid 2>/dev/null
  fi
  wait $pid 2>/dev/null
  inspect || wrong=$((wrong + 1))
  if [ "$(ls killed/points 2>/dev/null | grep -c 'json$')" -ge 38 ]; then # so that the next kill finds something to disturb
    rm -rf killed stamps
    anew=$((anew + 1))
  fi
done
(sweep killed --resume) || wrong=$((wrong + 1))
diff -r undisturbed killed || wrong=$((wrong + 1))
echo "killed $whole sweeps and $parts of their processes; started anew $anew times; $wrong wrong"
[ $wrong = 0 ]
