#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# The measure wakeup against cyclictest and against a bare loop, which is the limit.
#
# The three run in turn, A B C C B A, on one processor, at one priority, with the same idle setting. Processor time is the
# kernel's own account of the real-time thread (/proc/PID/task/TID/schedstat: nanoseconds run, times switched in) over
# the middle of each block, so all three are judged by the same clock from outside.
set -eu
cd "$(dirname "$0")/.."
cpu=$(($(nproc) - 1))
priority=95
seconds=1 # of a block; cyclictest counts whole seconds
rounds=4
out=target/bench/wakeup
mkdir -p $out
make -s -C probe OUT="$PWD/$out"
gcc -O2 -std=c11 -Wall -Wextra -Werror -o $out/bare probe/bench/bare.c
gcc -O2 -std=c11 -Wall -Wextra -Werror -o $out/wire_dump probe/test/wire_dump.c

# Processor time of all threads of PID, of its real-time thread, and how often that one was switched in. The policy is field
# 41 of stat (proc(5)); the name before it may hold blanks, so fields are counted from its end.
account() {
    awk 'FILENAME ~ /schedstat$/ { all += $1; if (policy == 1) { ran = $1; switches = $3 }; next }
         { sub(/.*\) /, ""); policy = $39 }
         END { printf "%.0f %.0f %d\n", all, ran, switches }' $(for thread in /proc/"$1"/task/*; do echo "$thread/stat" "$thread/schedstat"; done)
}

# block COMMAND...: runs it, prints the processor time per wake-up of its real-time thread and of the whole process, over the
# middle of its time: all three have set up by then, and none has ended.
block() {
    "$@" >$out/stream 2>$out/say &
    pid=$!
    sleep 0.4
    first=$(account $pid)
    sleep 0.4
    last=$(account $pid)
    wait $pid || { cat $out/say >&2 && return 1; }
    echo "$first $last" | awk '{ printf "%.1f %.1f", ($5 - $2) / ($6 - $3), ($4 - $1) / ($6 - $3) }'
}

# Each prints: tool, thread ns, process ns, median ns, lost; ours also the growth of its resident memory in bytes.
ours() {
    cost=$(block $out/probe measure wakeup --cpu $cpu --priority $priority --period-ns $(($1 * 1000)) \
        --for-ns ${seconds}000000000 --idle "$2")
    $out/wire_dump <$out/stream >$out/text
    median=$(sed -n 's/^ [0-9]*: //p' $out/text | awk '{ print $2 - $1 }' | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }')
    growth=$(awk -F= '/^VALUE resident_start/ { first = $2 } /^VALUE resident_end/ { print $2 - first }' $out/text)
    echo "ours $cost $median $(sed -n 's/^TOTALS.*lost=//p' $out/text) $growth"
}

bare() {
    cost=$(block $out/bare $cpu $priority $(($1 * 1000)) $((seconds * 1000000 / $1)) "$2")
    awk -v cost="$cost" '{ print "bare", cost, $6, $2 - $4 }' $out/stream
}

peer() {
    setting=$([ "$2" = off ] || echo --default-system)
    # shellcheck disable=SC2086 # empty or one word
    cost=$(block cyclictest -m -t1 -a $cpu -p $priority -i "$1" -D $seconds -q -N -h 400000 $setting)
    done_count=$(sed -n 's/^# Total: 0*//p' $out/stream)
    over=$(sed -n 's/^# Histogram Overflows: 0*//p' $out/stream)
    median=$(awk -v half=$(((done_count + ${over:-0} + 1) / 2)) '/^[0-9]/ { n += $2; if (n >= half) { print $1 + 0; exit } }' $out/stream)
    echo "cyclictest $cost $median $((seconds * 1000000 / $1 - done_count - ${over:-0}))"
}

steal() { awk '/^cpu / { print $9 }' /proc/stat; }

# setting PERIOD_US IDLE: all rounds of one setting, then its figures.
setting() {
    before=$(steal)
    : >$out/blocks
    for _ in $(seq $rounds); do
        for tool in ours bare peer peer bare ours; do $tool "$1" "$2" >>$out/blocks; done
    done
    awk -v name="wakeup.$1us.$2" -v steal=$(($(steal) - before)) -v blocks=$((2 * rounds)) -v seconds=$seconds -v cpu=$cpu \
        -v priority=$priority -f tools/bench_wakeup.awk $out/blocks
}

for period_us in 200 1000; do
    for idle in as-is off; do setting $period_us $idle; done
done
