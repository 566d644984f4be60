#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# The measure wakeup against cyclictest and against a bare loop, which is the limit.
#
# Rounds of short blocks: in each round every tool has one block, in random order, at one priority with the same idle
# setting, and the tools of a round are paired. cyclictest runs twice, with its main thread on the measured processor and
# off it, because that thread wakes every 10 ms and keeps the processor from deep idle where it sits (docs/how-to/cyclictest.md).
# Processor time is the kernel's own account (/proc/PID/task/TID/schedstat: nanoseconds run, times switched in) over
# the middle of each block, so all are judged by the same clock from outside. A block in which the hypervisor took a measured
# processor, or in which a tool was not yet or no longer at work, is repeated, whichever tool it was, up to three times; the
# repeated ones are counted, and so are their lost releases. Rounds go on until the setting's time is used up:
# BENCH_SECONDS multiplies it, in percent.
set -eu
cd "$(dirname "$0")/.."
cpu=$(($(nproc) - 1))
all=$(seq -s , 0 $cpu)
priority=95
block_us=300000  # what a block measures, beyond its set-up
set_up_us=350000 # our probe answers its first release 250 ms after it has settled; the first answers after a pause cost more than the others
settle=0.4       # all tools have answered for a while by then …
middle=0.2       # … and none has ended after so much more
repeats=3
share=${BENCH_SECONDS:-100}
out=target/bench/wakeup
mkdir -p $out
make -s -C probe OUT="$PWD/$out"
gcc -O2 -std=c11 -Wall -Wextra -Werror -o $out/bare probe/bench/bare.c
gcc -O2 -std=c11 -Wall -Wextra -Werror -o $out/wire_dump probe/test/wire_dump.c

# Processor time of all threads of the processes, of their real-time threads, how often those were switched in, and how many they
# are. The policy is field 41 of stat (proc(5)); the name before it may hold blanks, so fields are counted from its end.
account() {
    awk 'FILENAME ~ /schedstat$/ { all += $1; if (policy == 1) { ran += $1; switches += $3; threads++ }; next }
         { sub(/.*\) /, ""); policy = $39 }
         END { printf "%.0f %.0f %d %d\n", all, ran, switches, threads }' \
        $(for process in "$@"; do for thread in /proc/"$process"/task/*; do echo "$thread/stat" "$thread/schedstat"; done; done) 2>/dev/null ||
        echo "0 0 0 0" # a thread ended while it was read
}

# cost PID...: the processor time per wake-up of the real-time threads and of the whole processes, over the middle of a block;
# zeros where the threads were not the same at both ends.
cost() {
    sleep $settle
    first=$(account "$@")
    sleep $middle
    last=$(account "$@")
    echo "$first $last" | awk '{
        wakeups = $7 - $3
        if ($4 == 0 || $8 != $4 || wakeups <= 0) print "0 0"
        else printf "%.1f %.1f", ($6 - $2) / wakeups, ($5 - $1) / wakeups
    }'
}

# ended PID: waits for it; what it complained of is shown where it failed.
ended() { wait "$1" || { cat $out/say >&2 && return 1; }; }

# Median and 99 % quantile of the numbers of standard input, one a line.
quantiles() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)], v[int((NR * 99 + 99) / 100)] }'; }

# Each takes the processors, the period in microseconds and the idle setting, and prints: tool, thread ns, process ns, median ns,
# p99 ns, releases that were lost; ours also the growth of its resident memory in bytes.
ours() {
    $out/probe measure wakeup --cpu "$1" --priority $priority --period-ns $(($2 * 1000)) \
        --for-ns $((block_us + set_up_us))000 --idle "$3" >$out/stream 2>$out/say &
    pid=$!
    cost=$(cost $pid)
    ended $pid
    $out/wire_dump <$out/stream >$out/text
    spread=$(sed -n 's/^ [0-9]*: //p' $out/text | awk '{ print $2 - $1 }' | quantiles)
    lost=$(sed -n 's/^TOTALS.*lost=//p' $out/text | awk '{ sum += $1 } END { print sum + 0 }')
    growth=$(awk -F= '/^VALUE resident_start/ { first = $2 } /^VALUE resident_end/ { print $2 - first }' $out/text)
    echo "ours $cost $spread $lost $growth"
}

bare() {
    count=$(((block_us + set_up_us) / $2))
    pids=""
    for one in $(echo "$1" | tr , ' '); do
        $out/bare "$one" $priority $(($2 * 1000)) $count "$3" >$out/bare.$one 2>$out/say &
        pids="$pids $!"
    done
    # shellcheck disable=SC2086 # a list of numbers
    cost=$(cost $pids)
    for pid in $pids; do ended "$pid"; done
    for one in $(echo "$1" | tr , ' '); do cat $out/bare.$one; done |
        awk -v cost="$cost" '{ due += $2; done += $4; median += $6; p99 += $8 }
            END { print "bare", cost, median / NR, p99 / NR, due - done }'
}

# cyclictest NAME OPTION PROCESSORS PERIOD IDLE
cyclic() {
    count=$(((block_us + set_up_us) / $4))
    threads=$(echo "$3" | tr , '\n' | wc -l)
    setting=$([ "$5" = off ] || echo --default-system)
    # shellcheck disable=SC2086 # empty or one word each
    cyclictest -m -t"$threads" -a "$3" -p $priority -i "$4" -d 0 -l $count -q -N -h 400000 $setting $2 >$out/stream 2>$out/say &
    pid=$!
    cost=$(cost $pid)
    ended $pid
    awk -v name="$1" -v cost="$cost" -v due=$((count * threads)) '
        /^[0-9]/ { n = 0; for (i = 2; i <= NF; i++) n += $i; at[++rows] = $1; counts[rows] = n; done += n }
        /^# Histogram Overflows:/ { for (i = 4; i <= NF; i++) over += $i }
        END {
            for (row = 1; row <= rows; row++) {
                before += counts[row]
                if (median == "" && before >= (done + over) / 2) median = at[row] + 0
                if (p99 == "" && before >= (done + over) * 0.99) p99 = at[row] + 0
            }
            print name, cost, median, p99, due - done - over
        }' $out/stream
}
on() { cyclic cyclictest "" "$@"; }
off() { cyclic cyclictest-main-off "--mainaffinity=0" "$@"; }

# Ticks that the hypervisor took from the processors of the list $1.
stolen() { awk -v list="$1" 'BEGIN { for (n = split(list, one, ","); n; n--) wanted["cpu" one[n]] } $1 in wanted { sum += $9 } END { print sum + 0 }' /proc/stat; }

# block ROUND TOOL PROCESSORS PERIOD IDLE: one block of a tool; a spoilt one is written as "again" in its round's place.
block() {
    round=$1 tool=$2 again=0
    shift 2
    while :; do
        ticks=$(stolen "$1")
        line=$($tool "$@")
        [ $again = $repeats ] && break
        [ "$(stolen "$1")" = "$ticks" ] && [ "$(echo "$line" | cut -d ' ' -f 2)" != 0 ] && break
        again=$((again + 1))
        echo "again $line"
    done
    echo "$round $line"
}

# setting NAME SECONDS PROCESSORS PERIOD_US IDLE TOOL...: all rounds of one setting, then its figures.
setting() {
    name=$1 ends=$(($(date +%s) + $2 * share / 100)) where=$3 period=$4 idle=$5
    shift 5
    before=$(stolen "$where") number=0
    : >$out/blocks
    while [ $number = 0 ] || [ "$(date +%s)" -lt $ends ]; do
        number=$((number + 1))
        for one in $(shuf -e "$@"); do block $number "$one" "$where" "$period" "$idle" >>$out/blocks; done
    done
    awk -v name="wakeup.$name" -v steal=$(($(stolen "$where") - before)) -v block_us=$block_us -v cpu="$where" -v priority=$priority \
        -f tools/bench_wakeup.awk $out/blocks
}

other=$([ $cpu = 0 ] || echo off) # with one processor there is nowhere else for cyclictest's main thread
setting 1000us.as-is 180 $cpu 1000 as-is ours bare on $other
setting 200us.as-is 60 $cpu 200 as-is ours bare on $other
setting 1000us.off 50 $cpu 1000 off ours bare on $other
[ $cpu = 0 ] || setting 1000us.all-cpus 40 "$all" 1000 as-is ours bare on
