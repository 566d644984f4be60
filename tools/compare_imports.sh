#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# Makes fresh files with other tools and compares what `backwall import` reads with what the tools say themselves.
# Usage: tools/compare_imports.sh [BACKWALL]
set -eu
backwall=${1:-target/debug/backwall}
case $backwall in /*) ;; *) backwall=$PWD/$backwall ;; esac
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
failed=0
has() {
    command -v "$1" > /dev/null 2>&1 || { echo "skipped: $1 is not installed"; return 1; }
}

same() {
    if [ "$2" = "$3" ]; then echo "ok: $1: $2"; else echo "DIFFERS: $1: backwall $2, the tool $3"; failed=1; fi
}
# read_run FORMAT FIELDS: one line of the first series' figures
read_run() {
    "$backwall" import "$1" --quiet -o run > said 2>&1 || { cat said; return 1; }
    python3 - "$2" << 'END'
import json, sys
series = json.load(open("run/run.json"))["series"]
one = series[0] if sys.argv[1] != "sum" else None
quantile = lambda q: next(x["value"] for x in one["quantiles"] if abs(x["q"] - q) < 1e-9)
print({"extremes": lambda: f'{one["done"]} {one["min"] // 1000} {one["max"] // 1000}',
       "percentiles": lambda: f'{quantile(0.5)} {quantile(0.99)} {quantile(0.999)} {one["max"]}',
       "mean": lambda: f'{one["done"]} {one["mean"]:.0f}',
       "sum": lambda: sum(s["done"] for s in series)}[sys.argv[1]]())
END
    rm -rf run
}

if has cyclictest; then
    cyclictest -q -h 100000 -l 2000 -i 500 > cyclictest.txt 2> /dev/null || true
    theirs=$(awk '/^# Total/ {t = $3} /^# Min/ {a = $4} /^# Max/ {b = $4} END {print t + 0, a + 0, b + 0}' cyclictest.txt)
    same "cyclictest -h: samples, min, max in us" "$(read_run cyclictest.txt extremes)" "$theirs"
fi
if has perf; then
    perf bench sched pipe -l 20000 > bench.txt 2> /dev/null || true
    theirs=$(awk '/^# Executed/ {n = $3} /usecs\/op/ {printf "%d %d", n, $1 * 1000}' bench.txt)
    same "perf bench sched pipe: operations, mean in ns" "$(read_run bench.txt mean)" "$theirs"
fi
if has stress-ng; then
    stress-ng --cyclic 1 --cyclic-samples 2000 --cyclic-dist 2500 -t 2 > stress.txt 2>&1 || true
    theirs=$(awk '{for (i = 1; i < NF; i++) {if ($i ~ /^(50|99).00%:$|^99.90%:$/) printf "%s ", $(i + 1); if ($i == "max:") m = $(i + 1)}}
        END {print m}' stress.txt)
    same "stress-ng --cyclic: p50, p99, p99.9, max in ns" "$(read_run stress.txt percentiles)" "$theirs"
fi
if has bpftrace && [ "$(id -u)" = 0 ]; then
    bpftrace -e 'tracepoint:sched:sched_wakeup { @at[args->pid] = nsecs; }
        tracepoint:sched:sched_switch /@at[args->next_pid]/ {
            @usecs = hist((nsecs - @at[args->next_pid]) / 1000); @switches = count(); delete(@at[args->next_pid]); }
        interval:s:2 { clear(@at); exit(); }' > bpftrace.txt 2>&1 || true
    theirs=$(awk '/^@switches/ {print $2}' bpftrace.txt)
    if [ -z "$theirs" ]; then echo "skipped: bpftrace cannot trace here: $(head -n 1 bpftrace.txt)"; else same "bpftrace hist: samples" "$(read_run bpftrace.txt sum)" "$theirs"; fi
fi
# Recordings: as many events as the tool that made them reads itself.
events() {
    "$backwall" trace report --json "$1" 2> /dev/null | python3 -c 'import json, sys; print(sum(json.load(sys.stdin)["by_name"].values()))'
}
if has perf && [ "$(id -u)" = 0 ]; then
    for way in "-o -" "-z -o perf.data" "-o perf.data"; do
        # shellcheck disable=SC2086
        perf record $way -a -e sched:sched_switch -e sched:sched_waking -- sleep 1 > piped.data 2> /dev/null || { echo "skipped: perf cannot record here"; break; }
        if [ "$way" = "-o -" ]; then mv piped.data perf.data; fi
        perf script -i perf.data > perf.txt 2> /dev/null
        for file in perf.data perf.txt; do same "perf record $way: events of $file" "$(events $file)" "$(wc -l < perf.txt)"; done
    done
    { has babeltrace2 && perf data convert -i perf.data --to-ctf ctf > /dev/null 2>&1; } && same "perf data convert --to-ctf: events" "$(events ctf)" "$(babeltrace2 ctf | wc -l)"
fi
if has lttng && has babeltrace2; then
    lttng-sessiond > lttng.txt 2>&1 & daemon=$!; sleep 1 # ends at once if there is one
    # Buffers so small that the tracer discards events, and usual ones.
    for buffers in "4096 --num-subbuf=2" 1048576; do
        { lttng create fresh --output="$folder/ust" && lttng enable-channel -u c --subbuf-size=$buffers && lttng enable-event -u -a -c c && lttng start &&
            LD_PRELOAD=liblttng-ust-libc-wrapper.so python3 -c 'all = [bytearray(size) for size in range(9999)]'; lttng destroy || true; } > lttng.txt 2>&1
        same "LTTng, sub-buffers of $buffers: events" "$(events ust)" "$(babeltrace2 ust 2> /dev/null | wc -l)"
        rm -rf ust; done
    kill "$daemon" 2> /dev/null || true
fi
exit $failed
