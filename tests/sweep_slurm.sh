#!/usr/bin/env bash
# usage: sweep_slurm.sh DMASIM: a sweep in a Slurm of one node, started here, gives the bytes of a local one; also after the death of
# the command, of a task and of its place in the queue. Skipped, with the reason, where Slurm cannot start.
set -u
dmasim=$1
skip() { echo "skipped: $1"; exit 77; }
for command in sbatch squeue scancel slurmctld slurmd munged; do
  PATH=$PATH:/usr/sbin command -v $command >/dev/null || skip "$command is not installed (packages slurm-wlm, munge)"
done
[ "$(id -u)" = 0 ] || skip "slurmd needs root"
PATH=$PATH:/usr/sbin
dir=$(mktemp -d)
pids=()
cleanup() {
  scancel --me >/dev/null 2>&1
  for ((i = ${#pids[@]} - 1; i >= 0; i--)); do kill "${pids[i]}" 2>/dev/null; done
  wait
  rm -rf "$dir"
}
trap cleanup EXIT
chmod 755 "$dir"
cd "$dir"
mkdir state spool munge
port=$((20000 + $$ % 20000))
node=$(hostname -s)
cat >slurm.conf <<E2
ClusterName=test
SlurmctldHost=$node(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/munge/socket
CryptoType=crypto/munge
CredType=cred/munge
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SchedulerParameters=batch_sched_delay=0,sched_interval=1
SchedulerType=sched/backfill
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MinJobAge=60
NodeName=$node NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=test Nodes=ALL Default=YES MaxTime=INFINITE State=UP
E2
sed -i '/^CryptoType/d' slurm.conf
export SLURM_CONF=$dir/slurm.conf
head -c 1024 /dev/urandom >munge/key && chmod 600 munge/key && chmod 711 munge
munged --foreground --force --key-file "$dir/munge/key" --socket "$dir/munge/socket" --pid-file "$dir/munge/pid" --seed-file "$dir/munge/seed" \
  --log-file "$dir/munge/log" >munged.log 2>&1 &
pids+=($!)
for ((i = 0; i < 50; i++)); do [ -S munge/socket ] && break; sleep 0.1; done
[ -S munge/socket ] || skip "munged does not start: $(tail -1 munged.log munge/log 2>/dev/null | tr '\n' ' ')"
slurmctld -D -i >slurmctld.log 2>&1 &
pids+=($!)
slurmd -D -N "$node" >slurmd.log 2>&1 &
pids+=($!)
for ((i = 0; i < 100; i++)); do
  [ "$(sinfo -h -o %T 2>/dev/null)" = idle ] && break
  sleep 0.2
done
[ "$(sinfo -h -o %T 2>/dev/null)" = idle ] || skip "Slurm does not start: $(tail -1 slurmctld.log) / $(tail -1 slurmd.log)"

failed=0 count=0
check() { # check NAME COMMAND...
  local name=$1
  shift
  count=$((count + 1))
  "$@" || { failed=$((failed + 1)); echo "FAILED $name"; }
}
sweep() ( exec "$dmasim" sweep batched-sync-rk3588 -s entries=64 -s iterations=5 --vary cmo.slots=8,16,24,32 --vary l2.bytes=1MiB,3MiB,512KiB --quiet "$@" 2>>messages )
sweep -o local
check 'local status' [ $? = 3 ] # 3 MiB of L2 is refused
sweep -o slurm --engine slurm
check 'Slurm status' [ $? = 3 ]
check 'Slurm and local results are the same bytes' diff -r local slurm

# the command dies and is resumed: it waits for the tasks, and none of them runs again
sweep -o killed --engine slurm -j 1 &
command=$!
for ((i = 0; i < 100; i++)); do [ "$(ls killed/points 2>/dev/null | grep -c json)" -ge 2 ] && break; sleep 0.1; done
kill -9 $command
wait $command 2>/dev/null
there=(killed/points/*.json)
before=$(stat -c '%i %y' "${there[@]}")
sweep -o killed --engine slurm --resume
check 'status after a resumption' [ $? = 3 ]
check 'resumed results' diff -r local killed
check 'a point that was there ran again' [ "$(stat -c '%i %y' "${there[@]}")" = "$before" ]

# tasks are cancelled: the array is submitted once more
sweep -o cancelled --engine slurm -j 1 &
command=$!
for ((i = 0; i < 100; i++)); do [ "$(ls cancelled/points 2>/dev/null | grep -c json)" -ge 2 ] && break; sleep 0.1; done
scancel --me
wait $command
check 'status after scancel' [ $? = 3 ]
check 'results after scancel' diff -r local cancelled

# and what does not work
message=$("$dmasim" sweep batched-sync-rk3588 -s entries=4 -s iterations=1 --vary cmo.slots=8 --engine slurm -o none 2>&1 >/dev/null)
check 'a sweep of one point' [ "$?:$message" = 0: ]
message=$(SBATCH_PARTITION=nowhere "$dmasim" sweep batched-sync-rk3588 -s entries=4 --vary cmo.slots=8 --engine slurm -o refused 2>&1 >/dev/null)
check 'a refused array' [ "$?:${message##*$'\n'}" = '3:--engine slurm: sbatch refused the job array; what it said stands above' ]
echo "$((count - failed)) passed, $failed failed"
[ "$failed" = 0 ]
