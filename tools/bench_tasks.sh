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

# Detent on the bench: the largest prediction over the worst that was measured, of every series with a bound of the shipped sets that it can run.
near=$(
    for set in lehoczky-3:700ms overload:900ms control:3s; do
        rm -rf $out/run
        target/release/backwall tasks run docs/how-to/tasks/${set%:*}.toml --for "${set#*:}" --guest detent-probe --quiet --out $out/run >/dev/null 2>&1
        code=$?
        [ $code -le 1 ] || { echo "SKIP tasks on Detent: $set ended with $code" >&2 && exit 0; }
        target/release/backwall report $out/run --json 2>/dev/null
    done | awk '
        /"name":/ { split($0, part, "\""); name = part[4] }
        /"task":/ { split($0, part, "\""); task = part[4] }
        /^ *"max":/ && name == "response" { gsub(/[^0-9]/, "", $2); if ($2 + 0 > worst[task] + 0) worst[task] = $2 + 0 }
        match($0, /"bound": [0-9]+/) && worst[name] > 0 { series++; ratio = substr($0, RSTART + 9, RLENGTH - 9) / worst[name]; if (ratio > most) most = ratio; if (ratio < 1) above++ }
        END { printf "%.4f %d %d", most, series, above }'
)
echo "$near" | {
    read -r most series above
    [ "${series:-0}" -eq 0 ] || printf 'tasks predicted on Detent\t%s\ttimes\t1.5\t%s\t-\t-\t%s\n' "$most" \
        "$(awk -v most="$most" -v above="$above" 'BEGIN { print (most <= 1.5 && above == 0) ? "yes" : "no" }')" \
        "largest prediction over the worst measured, $series series of lehoczky-3, overload and control; $above measured above their prediction"
}

# The runner beside rt-app: one thread, SCHED_FIFO, 100 us each millisecond, in turns. What a job costs is the processor time of the whole process
# for 5 s less that for 1 s, over the jobs in between, so begin and end cancel; less what each one's own record says its jobs computed.
command -v rt-app >/dev/null || { echo "SKIP tasks beside rt-app: it is not installed" >&2 && exit 0; }
cpu=$(($(nproc) - 1))

# ours SECONDS: processor time in ns, jobs, and their computing in ns.
ours() {
    runs $out/cost.toml --for "$1"s --cpu $cpu --keep-samples
    awk -F , -v used="$(grep -o '"process_cpu_ns": [0-9]*' $out/run/run.json | awk '{ print $2 }')" '
        NR > 1 && $7 == "done" { jobs++; computed += $6 - $5 }
        END { printf "%d %d %d\n", used, jobs, computed }' $out/run/jobs.csv
}

# theirs SECONDS NS_PER_LOOP: the same of rt-app.
theirs() {
    mkdir -p $out/rt-app
    rm -f $out/rt-app/*
    cat >$out/rt-app.json <<JSON
{ "global": { "duration": $1, "calibration": $2, "default_policy": "SCHED_FIFO", "lock_pages": true, "logdir": "$out/rt-app", "log_basename": "log", "log_size": 4 },
  "tasks": { "one": { "priority": 50, "cpus": [$cpu], "loop": -1, "run": 100, "timer": { "ref": "tick", "period": 1000, "mode": "absolute" } } } }
JSON
    used=$(bash -c 'TIMEFORMAT="%U %S"; { time rt-app "$1" >"$2" 2>&1; } 2>&1' rt-app $out/rt-app.json $out/rt-app/said | awk '{ printf "%d", ($1 + $2) * 1e9 }')
    cat $out/rt-app/*.log | awk -v used="$used" '$1 ~ /^[0-9]+$/ { jobs++; computed += $3 * 1000 } END { printf "%d %d %d\n", used, jobs, computed }'
}

# rt-app computes so many loops of what it believes a loop takes: from one second of 100 ns a loop comes what a loop takes.
ns_per_loop=$(theirs 1 100 | awk '{ printf "%d", $3 / $2 / 1000 + 0.5 }')
for _ in 1 2 3 4 5; do
    echo "ours $(ours 1) $(ours 5)"
    echo "rt-app $(theirs 1 "$ns_per_loop") $(theirs 5 "$ns_per_loop")"
done >$out/rt-app.turns
awk -v loop="$ns_per_loop" '
    { cost = (($5 - $2) - ($7 - $4)) / ($6 - $3); own[$1] = own[$1] " " cost; job[$1] = $7 / $6 / 1000 }
    function median(list, v, n, i, j, t) {
        n = split(list, v, " ")
        for (i = 2; i <= n; i++) for (j = i; j > 1 && v[j - 1] + 0 > v[j] + 0; j--) { t = v[j]; v[j] = v[j - 1]; v[j - 1] = t }
        least = v[1]; most = v[n]
        return v[int((n + 1) / 2)]
    }
    END {
        a = median(own["ours"]); from = least; to = most
        b = median(own["rt-app"])
        printf "tasks cost beside rt-app\t%d\tns/job\t%d\t%s\trt-app 1.0\t%d\tmedian of 5 turns, ours %d to %d, rt-app %d to %d; jobs of %.1f us and %.1f us by their own records (rt-app: %d ns a loop)\n", \
            a, b, a <= b ? "yes" : "no", b, from, to, least, most, job["ours"], job["rt-app"], loop
    }' $out/rt-app.turns
