#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# The analysis of a set of 1,000 tasks on one processor, as a user calls it: reading, response times, their terms, the table.
# Then the runner: 100,000 events a second through the pool, and what it uses of a job beyond the job's computation.
# Periods are spread from 1 ms to 1 s, deadlines are the periods, the utilisation is 0.75.
set -eu
cd "$(dirname "$0")/.."
tasks=1000
out=target/bench/tasks
mkdir -p $out
awk -v tasks=$tasks 'BEGIN {
    srand(7)
    for (i = 0; i < tasks; i++) {
        period = int(1000000 * exp(log(1000) * i / (tasks - 1)))
        printf "[[series]]\nname = \"t%d\"\nperiod = \"%dns\"\ncomputation = \"%dns\"\npriority = %d\n\n", i, period, 0.75 * period / tasks * (0.5 + rand()), tasks - i
    }
}' >$out/set.toml
best=
for _ in 1 2 3 4 5; do
    begun=$(date +%s%N)
    target/release/backwall tasks predict $out/set.toml >$out/text || { cat $out/text >&2 && exit 1; }
    took=$((($(date +%s%N) - begun) / 1000000))
    [ -n "$best" ] && [ "$best" -le $took ] || best=$took
done
printf 'tasks predict\t%d\tms\t1000\t%s\t-\t-\t%s\n' "$best" "$([ "$best" -le 1000 ] && echo yes || echo no)" \
    "$(grep -c '^ *t[0-9]' $out/text) of $tasks tasks in the table, one processor, fixed priorities; whole command, best of 5"

# series NAME PERIOD COMPUTATION: a series of the pool's set.
series() {
    printf '[[series]]\nname = "%s"\nperiod = "%s"\ncomputation = "%s"\ndeadline = "10ms"\npriority = 50\n\n' "$1" "$2" "$3"
}

# runs SET WORDS...: the run in $out/run, or the reason on standard error.
runs() {
    set=$1
    shift
    rm -rf $out/run
    target/release/backwall tasks run "$set" --quiet --out $out/run "$@"
}

# sum NAME: of a number of that name in the run, over all tasks.
sum() { grep -o "\"$1\": [0-9]*" $out/run/run.json | awk '{ sum += $2 } END { printf "%d", sum }'; }

{
    printf 'organisation = "pool"\noverrun = "queue"\n\n'
    for number in 1 2 3 4 5 6 7 8 9 10; do series "s$number" 100us 1us; done
} >$out/pool.toml
series one 1ms 100us >$out/cost.toml
if ! runs $out/pool.toml --for 3s; then
    echo "SKIP tasks run: this machine refuses it" >&2
    exit 0
fi
done=$(sum on_time)
printf 'tasks pool\t%d\tevents/s\t100000\t%s\t-\t-\t%s\n' $((done / 3)) "$([ "$done" -eq 300000 ] && echo yes || echo no)" \
    "$done of 300000 events of 10 series done in 3 s, each within 10 ms; the others: $(sum skipped) skipped, $(sum unfinished) unfinished, or late"
runs $out/cost.toml --for 5s --work cpu-time
jobs=$(sum on_time)
printf 'tasks own cost\t%d\tns/job\t-\t-\t-\t-\t%s\n' $((($(sum used_ns) - jobs * 100000) / jobs)) \
    "processor time of the thread beyond $jobs jobs of 100 us, by processor time"
