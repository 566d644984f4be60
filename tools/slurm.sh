#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# A batch through Slurm, on this machine as two nodes of a processor each, and the same batch through the tool's own pool. Both
# come to the same, although daemons, tasks and submitters are killed on the way. tools/slurm.sh [UNITS]
set -eu
units=${1:-24}
cd "$(dirname "$0")/.."
. tools/rust.sh
for program in munged slurmctld slurmd sbatch squeue; do
    command -v $program >/dev/null 2>&1 || {
        echo "SKIP slurm: no $program; on Debian: apt-get install slurmctld slurmd slurm-client munge"
        exit 0
    }
done
[ "$(id -u)" = 0 ] || {
    echo "SKIP slurm: its daemons are started as root here"
    exit 0
}
tool=${BACKWALL_TOOL:-}
[ -n "$tool" ] || {
    cargo build --quiet --locked
    tool=$PWD/target/debug/backwall
}
export PATH="${tool%/*}:$PATH"
place=$(mktemp -d)
started=""
stop() {
    for daemon in $started; do kill -9 "$daemon" 2>/dev/null || true; done
    [ -f "$place/munged.pid" ] && kill "$(cat "$place/munged.pid")" 2>/dev/null || true
    rm -rf "$place"
}
trap stop EXIT
trap 'exit 1' INT TERM

# munged wants a folder of its own that everybody may enter, and a key that nobody else reads.
chmod 755 "$place"
mkdir -m 755 "$place/munge"
mkdir -m 700 "$place/key"
dd if=/dev/urandom of="$place/key/key" bs=1024 count=1 2>/dev/null
chmod 600 "$place/key/key"
munged --force --key-file="$place/key/key" --socket="$place/munge/socket" --pid-file="$place/munged.pid" \
    --log-file="$place/key/log" --seed-file="$place/key/seed"
host=$(hostname -s)
cat >"$place/slurm.conf" <<CONF
ClusterName=backwall
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$place/munge/socket,cred_expire=20
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
SlurmdTimeout=10
MpiDefault=none
StateSaveLocation=$place/state
SlurmdSpoolDir=$place/spool-%n
SlurmctldPidFile=$place/slurmctld.pid
SlurmdPidFile=$place/slurmd-%n.pid
SlurmctldLogFile=$place/slurmctld.log
SlurmdLogFile=$place/slurmd-%n.log
SlurmctldPort=17000
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=17001 CPUs=1 RealMemory=1000
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=17002 CPUs=1 RealMemory=1000
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
CONF
mkdir "$place/state" "$place/spool-n1" "$place/spool-n2"
export SLURM_CONF="$place/slurm.conf"
slurmctld -D -f "$SLURM_CONF" >/dev/null 2>&1 &
controller=$!
started="$started $!"
for node in n1 n2; do
    slurmd -D -N $node -f "$SLURM_CONF" >/dev/null 2>&1 &
    started="$started $!"
    last=$!
done
until sinfo -h -t idle -o %D 2>/dev/null | grep -q '^2$'; do sleep 0.5; done

cd "$place"
# A unit takes a moment, and has other edges with each seed.
cat >random.toml <<'SCENARIO'
about = "random arrivals"
guest = "bare:service-irq7-1000"
load = "loop"
[generator.a]
shape = "poisson"
period = 8000
count = 500
SCENARIO
printf '[matrix]\nscenario = ["random.toml"]\nseeds = "1-%s"\n' "$units" >matrix.toml
for engine in pool slurm; do "$tool" lab batch plan matrix.toml --out $engine --quiet; done
cmp pool/units.jsonl slurm/units.jsonl
begun=$(date +%s)
"$tool" lab batch run pool --quiet --jobs 2
pool=$(($(date +%s) - begun))
begun=$(date +%s)
"$tool" lab batch submit slurm --chunk $(((units + 3) / 4)) | sbatch >/dev/null
# done_units N: that many units more are there, or the array has ended.
done_units() {
    until [ "$(ls slurm/units 2>/dev/null | wc -l)" -ge "$1" ] || [ -z "$(squeue -h)" ]; do sleep 0.2; done
}
done_units 1
# A unit dies with the task that has it, at any instant; the batch is submitted once more by somebody who dies at it.
for task in $(pgrep -f "backwall.*$place/slurm"); do kill -9 "$task" 2>/dev/null || true; done
{ "$tool" lab batch submit slurm --chunk $(((units + 3) / 4)) | sbatch >/dev/null; } &
submitting=$!
sleep "0.$(awk 'BEGIN { srand(); print int(10 * rand()) }')"
kill -9 $submitting 2>/dev/null || true
# The second node's daemon dies in the middle, and comes again.
done_units $((units / 4))
kill -9 "$last"
slurmd -D -N n2 -f "$SLURM_CONF" >/dev/null 2>&1 &
started="$started $!"
# So does the controller.
done_units $((units / 2))
kill -9 "$controller"
slurmctld -D -f "$SLURM_CONF" >/dev/null 2>&1 &
started="$started $!"
until squeue -h >/dev/null 2>&1; do sleep 0.2; done
while [ -n "$(squeue -h)" ]; do sleep 0.5; done
slurm=$(($(date +%s) - begun))
# A task that was killed has failed for Slurm; its chunk is submitted again, and what is done is passed over.
"$tool" lab batch submit slurm --chunk $(((units + 3) / 4)) | sbatch >/dev/null
while [ -n "$(squeue -h)" ]; do sleep 0.5; done
for engine in pool slurm; do "$tool" lab batch merge $engine --quiet || [ $? = 1 ]; done
count() { ls "$1/units" | wc -l; }
[ "$(count pool)" = "$units" ] && [ "$(count slurm)" = "$units" ] || {
    echo "slurm: of $units units the pool did $(count pool) and Slurm $(count slurm)" >&2
    exit 1
}
for key in $(ls pool/units); do cmp "pool/units/$key/edges.bin" "slurm/units/$key/edges.bin"; done
"$tool" export csv pool/merged/random >pool.csv
"$tool" export csv slurm/merged/random >slurm.csv
cmp pool.csv slurm.csv
echo "slurm: $units units through both, the same edges and the same merged figures; pool $pool s, Slurm $slurm s"
