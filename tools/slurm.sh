#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# A campaign through Slurm, on this machine as two nodes of a processor each, beside the same campaign through the tool's own pool; one node's
# daemon is killed on the way. Both come to the same. tools/slurm.sh [UNITS]
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
cargo build --quiet --locked
tool=$PWD/target/debug/backwall
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
started="$started $!"
for node in n1 n2; do
    slurmd -D -N $node -f "$SLURM_CONF" >/dev/null 2>&1 &
    started="$started $!"
    last=$!
done
until sinfo -h -t idle -o %D 2>/dev/null | grep -q '^2$'; do sleep 0.5; done

# Other edges with each seed, and a moment each.
cat >"$place/random.toml" <<'SCENARIO'
about = "random arrivals"
guest = "bare:service-irq7-1000"
load = "loop"
[generator.a]
shape = "poisson"
period = 8000
count = 500
SCENARIO
printf '[matrix]\nscenario = ["random.toml"]\nseeds = "1-%s"\n' "$units" >"$place/matrix.toml"
cd "$place"
for engine in pool slurm; do "$tool" campaign plan matrix.toml --out $engine --quiet; done
cmp pool/units.jsonl slurm/units.jsonl
begun=$(date +%s)
"$tool" campaign run pool --quiet --jobs 2
pool=$(($(date +%s) - begun))
begun=$(date +%s)
"$tool" campaign submit slurm --chunk $(((units + 3) / 4)) | sbatch >/dev/null
until [ "$(ls slurm/units | wc -l)" -gt 0 ]; do sleep 0.2; done
# The second node's daemon dies in the middle, and comes again.
kill -9 "$last"
slurmd -D -N n2 -f "$SLURM_CONF" >/dev/null 2>&1 &
started="$started $!"
while [ -n "$(squeue -h)" ]; do sleep 0.5; done
slurm=$(($(date +%s) - begun))
for engine in pool slurm; do "$tool" campaign merge $engine --quiet || [ $? = 1 ]; done
count() { ls "$1/units" | wc -l; }
[ "$(count pool)" = "$units" ] && [ "$(count slurm)" = "$units" ] || {
    echo "slurm: of $units units the pool did $(count pool) and Slurm $(count slurm)" >&2
    exit 1
}
for key in $(ls pool/units); do cmp "pool/units/$key/edges.bin" "slurm/units/$key/edges.bin"; done
"$tool" export csv pool/merged/random >pool.csv
"$tool" export csv slurm/merged/random >slurm.csv
cmp pool.csv slurm.csv
echo "slurm: $units units through both, the same edges and the same merged figures; pool $pool s, Slurm with a daemon killed on the way $slurm s"
