#!/bin/bash
# A run on SLURM: sbatch slurm.sh FOLDER NAME PUZZLE [options of `islands run`], submitted in the folder of this script.
# Starts a Ray on the nodes of the job, and the run on the first of them. FOLDER is shared by all nodes; a run in it goes
# on from where it stands. Before the time limit SLURM sends SIGTERM: the run saves, and the job is queued again.
#SBATCH --job-name=puzzle-islands
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=16
#SBATCH --exclusive
#SBATCH --time=04:00:00
#SBATCH --signal=B:TERM@120
#SBATCH --requeue
#SBATCH --open-mode=append
set -euo pipefail

[ $# -ge 3 ] || { echo "usage: sbatch slurm.sh FOLDER NAME PUZZLE [options of islands run]" >&2; exit 2; }
[ -n "${SLURM_JOB_ID:-}" ] || { echo "slurm.sh is a job of SLURM: submit it with sbatch slurm.sh $*" >&2; exit 2; }
deploy=${ISLANDS_DEPLOY:-$SLURM_SUBMIT_DIR} # has run-or-resume.sh: SLURM runs a copy of this script elsewhere
attempts=${ISLANDS_ATTEMPTS:-100}           # after which the job is not queued again
port=$((20000 + SLURM_JOB_ID % 20000))      # another job on these nodes has another one

umask 077
RAY_AUTH_TOKEN=$(od -An -N32 -tx1 /dev/urandom | tr -d ' \n') # of this job alone, never in a file
export RAY_AUTH_TOKEN RAY_AUTH_MODE=token RAY_USAGE_STATS_ENABLED=0 NUMBA_NUM_THREADS=1

mapfile -t nodes < <(scontrol show hostnames "$SLURM_JOB_NODELIST")
head=$(srun --nodes=1 --ntasks=1 --nodelist="${nodes[0]}" hostname --ip-address | awk '{print $1}')
export ISLANDS_ADDRESS=$head:$port
ray=() driver='' stopped=''
count="import ray, sys; ray.init(sys.argv[1], log_to_driver=False); print(sum(node['Alive'] for node in ray.nodes()))"

# shellcheck disable=SC2317,SC2329 # these two are called by traps
finish() {
  [ ${#ray[@]} -eq 0 ] || kill -TERM "${ray[@]}" 2> /dev/null || true
  wait
}
# shellcheck disable=SC2317,SC2329
save() {
  stopped=yes
  [ -z "$driver" ] || kill -TERM "$driver" 2> /dev/null || true
}
trap finish EXIT
trap save TERM

# start OPTIONS NODE...: a part of Ray on each of these nodes, in the background
start() {
  local options list
  read -ra options <<< "$1"
  shift
  list=$(IFS=, && echo "$*")
  srun --nodes=$# --ntasks=$# --nodelist="$list" --overlap \
    ray start --block --num-cpus="$SLURM_CPUS_PER_TASK" "${options[@]}" &
  ray+=($!)
}

# shellcheck disable=SC2317,SC2329 # these two are called by until_true
answers() { ray health-check --address "$ISLANDS_ADDRESS" > /dev/null 2>&1; }
# shellcheck disable=SC2317,SC2329
complete() { [ "$(python3 -c "$count" "$ISLANDS_ADDRESS" 2> /dev/null)" -ge ${#nodes[@]} ]; }

# until_true SECONDS COMMAND: whether the command succeeds within this time, and before the end of the job
until_true() {
  local deadline=$((SECONDS + $1))
  until "$2"; do
    if [ -n "$stopped" ] || [ $SECONDS -ge $deadline ]; then return 1; fi
    sleep 1
  done
}

start "--head --node-ip-address=$head --port=$port --include-dashboard=false" "${nodes[0]}"
until_true 120 answers || { echo "Ray did not start on ${nodes[0]}" >&2; exit 3; }
if [ ${#nodes[@]} -gt 1 ]; then
  start "--address=$ISLANDS_ADDRESS" "${nodes[@]:1}"
  until_true 120 complete || echo "not all of ${#nodes[@]} nodes have joined; going on without the others" >&2
fi

code=130
if [ -z "$stopped" ]; then
  "$deploy/run-or-resume.sh" "$@" &
  driver=$!
  wait $driver && code=0 || code=$?
  if [ -n "$stopped" ]; then # the trap has ended `wait`; the run is still saving
    wait $driver && code=0 || code=$?
  fi
fi

# 130: the run was told to save; 143: it was told so before it had begun. 3: Ray was lost. All of these go on in a job of
# the same number, unless somebody cancelled it.
if [ $code -eq 130 ] || [ $code -eq 143 ] || [ $code -eq 3 ]; then
  if [ "${SLURM_RESTART_COUNT:-0}" -ge "$attempts" ]; then
    echo "the run is saved; it was queued again $attempts times, and is not any more" >&2
  elif [[ $(scontrol show job "$SLURM_JOB_ID") == *JobState=RUNNING* ]]; then
    echo "the run is saved; the job is queued again"
    scontrol requeue "$SLURM_JOB_ID"
  fi
fi
exit $code
