#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# Fleets, publishing and campaigns at the sizes that they are made for, one tab-separated line a figure: name value unit goal met peer
# peer_value conditions.
set -eu
cd "$(dirname "$0")/.."
. tools/rust.sh
. tools/random_campaign.sh
cargo bench --quiet --locked --bench fleet
units=${BACKWALL_UNITS:-100} # 1,000 of them take longer than a bench may
out=$PWD/target/bench/fleet
tool=$PWD/target/release/backwall
rm -rf "$out" && mkdir -p "$out"
cd "$out"
random_campaign "$units"
"$tool" lab batch plan matrix.toml --out pool --quiet
half=$((units / 2))
# pool FIRST LAST, alone FIRST LAST: seconds, by the tool's own pool and by xargs, which starts a process for each unit and does nothing else.
now() { date +%s.%N; }
pool() {
    begun=$(now)
    "$tool" lab batch run pool --units "$1-$2" --quiet >&2
    echo "$begun $(now)" | awk '{ print $2 - $1 }'
}
alone() {
    begun=$(now)
    seq "$1" "$2" | xargs -P "$(nproc)" -I '{}' "$tool" lab run random.toml --seed '{}' --jobs 1 --quiet --out 'alone-{}' >&2
    echo "$begun $(now)" | awk '{ print $2 - $1 }'
}
a=$(pool 1 $half) && b=$(alone 1 $half) && c=$(alone $((half + 1)) "$units") && d=$(pool $((half + 1)) "$units")
echo "$a $b $c $d" | awk -v units="$units" '{
    pool = $1 + $4; alone = $2 + $3; share = 100 * alone / pool
    printf "campaign: pool\t%.1f\t%%\t>= 95\t%s\txargs, s\t%.1f\t%d short units, pool %.1f s, by turns; share of what xargs does on the same processors\n", \
        share, (share >= 95 ? "yes" : "no"), alone, units, pool }'
cd - >/dev/null
BACKWALL_TOOL=$tool tools/slurm.sh 40 unharmed | awk '
    /^SKIP/ { printf "campaign: slurm\t-\tratio\t<= 1.3\t-\t-\t-\tnot measured here: %s\n", $0 }
    / pool / {
        match($0, /pool [0-9]+/); pool = substr($0, RSTART + 5, RLENGTH - 5)
        match($0, /Slurm [0-9]+ s/); slurm = substr($0, RSTART + 6, RLENGTH - 8)
        printf "campaign: slurm\t%.2f\tratio\t<= 1.3\t%s\tpool, s\t%d\t40 units in four chunks on two nodes of a processor each, %d s\n", \
            slurm / pool, (slurm <= 1.3 * pool ? "yes" : "no"), pool, slurm
    }'
