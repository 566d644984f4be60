#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# test_linux.sh BUILD: tests the probe on this machine, with and without faults. No test asserts that something was fast. A test that
# this machine cannot run is reported as SKIP with the reason, never as PASS.
set -u
build=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0

pass() { echo "PASS $1"; }
skip() { echo "SKIP $1: $2"; }
fail() {
    echo "FAIL $1: $2" >&2
    failures=$((failures + 1))
}

# expect NAME CONDITION...: passes if the condition, which is a command, succeeds.
expect() {
    name=$1
    shift
    if "$@"; then pass "$name"; else fail "$name" "not so: $*"; fi
}

dump() { "$build/wire_dump" <"$1" >"$1.txt" 2>"$1.err"; }
has() { grep -q "$2" "$1.txt"; }
one_line() { [ "$(wc -l <"$1")" = 1 ]; }
empty() { [ ! -s "$1" ]; }
# heard FILE: waits up to ten seconds until the probe has written something. By then its signal handlers are installed.
heard() {
    for _ in $(seq 100); do
        [ -s "$1" ] && return 0
        sleep 0.1
    done
    return 1
}
# eventually COMMAND...: whether the command succeeds within twenty tries, half a second apart.
eventually() {
    for _ in $(seq 20); do
        "$@" && return 0
        sleep 0.5
    done
    return 1
}
# gone PID: whether the process ends within five seconds (a zombie counts as ended).
gone() {
    for _ in $(seq 50); do
        state=$(sed 's/.*) \(.\).*/\1/' "/proc/$1/stat" 2>/dev/null) || return 0
        [ "$state" = Z ] && return 0
        sleep 0.1
    done
    return 1
}

probe="$build/probe"
realtime=no
"$probe" measure wakeup --count 1 >/dev/null 2>&1 && realtime=yes

a_measure_accounts_for_every_release() {
    "$probe" measure wakeup --count 500 --warmup 20 --best-effort >"$scratch/m" 2>"$scratch/m.say"
    dump "$scratch/m" && has "$scratch/m" 'TOTALS 0 due=520 ' && has "$scratch/m" 'END reason=0' &&
        has "$scratch/m" 'TEXT probe_tid=' && has "$scratch/m" 'SAMPLES 0 first_seq=0 flags=1'
}

# Takes more samples than the ring can hold. It uses the shipped program, because sanitizers use memory of their own.
resident_memory_is_flat() {
    "$build/probe-static" measure wakeup --count 40000 --period-ns 50000 >"$scratch/m" || return 1
    dump "$scratch/m"
    start=$(sed -n 's/VALUE resident_start_bytes series=none value=//p' "$scratch/m.txt")
    end=$(sed -n 's/VALUE resident_end_bytes series=none value=//p' "$scratch/m.txt")
    [ "$start" -gt 0 ] && [ "$end" = "$start" ]
}

# interrupted SIGNAL: checks that the stream is complete and says that the measurement was ended early.
interrupted() {
    "$probe" measure wakeup --for-ns 60000000000 --best-effort >"$scratch/i" 2>"$scratch/i.say" &
    pid=$!
    heard "$scratch/i"
    sleep 0.5
    kill -"$1" "$pid"
    wait "$pid" && dump "$scratch/i" && has "$scratch/i" 'END reason=1' && empty "$scratch/i.say"
}

a_load_is_interrupted_whole() {
    "$probe" load handoff >"$scratch/l" &
    pid=$!
    heard "$scratch/l"
    sleep 1.3
    kill -TERM "$pid"
    wait "$pid" && dump "$scratch/l" && has "$scratch/l" 'END reason=1' && [ "$(grep -c PROGRESS "$scratch/l.txt")" -ge 2 ]
}

# progresses LOAD NS: checks that the stream is complete and that some units are done.
progresses() {
    "$probe" load "$1" --for-ns "$2" >"$scratch/p" 2>"$scratch/p.say" && dump "$scratch/p" &&
        has "$scratch/p" 'END reason=0' && has "$scratch/p" 'PROGRESS.*done=[1-9]'
}

# On a busy machine an idle load may starve, so each load gets a long second chance.
every_load_makes_progress() {
    for load in $("$probe" list | sed -n 's/^load\t\([a-z0-9]*\)\t.*/\1/p'); do
        if progresses "$load" 300000000 || progresses "$load" 10000000000; then
            continue
        elif [ -s "$scratch/p.say" ]; then
            skip "load $load" "$(cat "$scratch/p.say")"
        else
            fail "load $load" "no progress in ten seconds"
        fi
    done
}

# scheduling PID: prints "COUNT POLICY PRIORITY" for the process's threads except the first (proc(5): fields 41 and 40 of stat).
scheduling() {
    for thread in /proc/"$1"/task/*; do
        [ "${thread##*/}" = "$1" ] || sed 's/.*) //' "$thread/stat" | cut -d' ' -f38,39
    done | awk '{ print $2, $1 }' | sort | uniq -c | awk '{ print $1, $2, $3 }' | paste -sd,
}

scheduled() { [ "$(scheduling "$1")" = "$2" ]; }
# Checks the stream so far. dump fails, because the stream has not ended.
progressed() { dump "$1"; has "$1" 'PROGRESS.*done=[1-9]'; }

# There must be one thread per copy, and equally many threads of each priority; policy 2 is SCHED_RR. The threads must end with the process
# and need little memory. Threads that run may keep the others from starting, and the first thread from reporting, for any time.
copies_of_a_load_are_threads_of_the_priorities_asked_for() {
    "$probe" load spin --copies 300 --priority 20 --priority-to 22 >"$scratch/c" 2>"$scratch/say" &
    pid=$!
    heard "$scratch/c" && eventually scheduled "$pid" "100 2 20,100 2 21,100 2 22" && eventually progressed "$scratch/c"
    status=$?
    resident_kib=$(awk '/^VmRSS/ { print $2 }' "/proc/$pid/status")
    kill -KILL "$pid"
    wait "$pid" 2>/dev/null
    gone "$pid" && [ "$status" = 0 ] && [ "$resident_kib" -lt 200000 ]
}

copies_of_pairs_are_pairs() {
    "$probe" load handoff --copies 20 --for-ns 1500000000 >"$scratch/c" 2>"$scratch/say" && dump "$scratch/c" &&
        has "$scratch/c" 'PROGRESS.*done=[1-9]' && has "$scratch/c" 'END reason=0'
}

# Figures depend on the machine, counts do not. At ordinary priority some samples may be void; these are counted as lost.
every_operation_accounts_for_every_sample() {
    "$probe" list | sed -n 's/^operation\t\([0-9.]*\)\t.*\t\(ordinary\|real-time\)\t.*/\1 \2/p' >"$scratch/tests"
    [ "$(wc -l <"$scratch/tests")" -gt 90 ] || return 1
    while read -r test scheduler; do
        [ "$scheduler" = ordinary ] && priority=0 || priority=40
        timeout 60 "$probe" operation "$test" --count 9 --warmup 3 --priority $priority --best-effort >"$scratch/o" 2>"$scratch/o.say"
        case $? in
        0) dump "$scratch/o" && has "$scratch/o" 'TOTALS 0 due=12 ' && has "$scratch/o" 'END reason=0' ||
            { echo "operation $test" >&2 && return 1; } ;;
        4) one_line "$scratch/o.say" && skip "operation $test" "$(cat "$scratch/o.say")" ;;
        *) cat "$scratch/o.say" >&2 && return 1 ;;
        esac
    done <"$scratch/tests"
}

# partner_of PID: waits for the process's second process and prints its id.
partner_of() {
    for _ in $(seq 100); do
        found=$(cat "/proc/$1/task/$1/children" 2>/dev/null)
        [ -n "$found" ] && echo "$found" && return 0
        sleep 0.05
    done
    return 1
}

a_second_process_that_dies_is_told_and_what_was_measured_stays() {
    "$probe" operation 1.01 --count 100000000 --priority 0 --best-effort >"$scratch/o" 2>"$scratch/o.say" &
    pid=$!
    partner=$(partner_of $pid) && heard "$scratch/o" && sleep 0.3 && kill -KILL $partner
    wait "$pid"
    [ $? = 1 ] && one_line "$scratch/o.say" && grep -q 'second process died' "$scratch/o.say" && dump "$scratch/o" &&
        has "$scratch/o" 'END reason=2' && has "$scratch/o" 'TOTALS 0 due='
}

# The probe may hold a mutex when it is killed.
a_killed_probe_takes_its_second_process_along() {
    "$probe" operation 3.01 --count 100000000 --priority 0 --best-effort >"$scratch/o" 2>"$scratch/o.say" &
    pid=$!
    partner=$(partner_of $pid) && heard "$scratch/o" && sleep 0.3 && kill -KILL "$pid"
    wait "$pid" 2>/dev/null
    gone "${partner% }"
}

# Uses the shipped program, because a sanitizer needs a thread of its own at the end.
without_another_process_it_is_refused() {
    cp "$build/probe-static" "$scratch/probe-static"
    prlimit --nproc=1 $unprivileged "$scratch/probe-static" operation 1.01 --count 1 --priority 0 --best-effort >"$scratch/out" 2>"$scratch/say"
    [ $? = 4 ] && empty "$scratch/out" && one_line "$scratch/say" && grep -q 'ulimit -u' "$scratch/say"
}

marks_go_to_a_parallel_port_or_nowhere() {
    "$probe" operation 1.00 --count 1 --priority 0 --best-effort --mark 4660 >"$scratch/out" 2>"$scratch/say"
    [ $? = 4 ] && empty "$scratch/out" && one_line "$scratch/say" && grep -q 'no parallel port at 0x1234' "$scratch/say"
}

a_full_disk_is_said_in_one_line() {
    "$probe" load spin --for-ns 100000000 >/dev/full 2>"$scratch/say"
    [ $? = 1 ] && one_line "$scratch/say" && grep -q 'No space left' "$scratch/say"
}

a_host_that_goes_away_ends_the_probe() {
    rm -f "$scratch/fifo"
    mkfifo "$scratch/fifo"
    "$probe" "$@" >"$scratch/fifo" 2>"$scratch/say" &
    pid=$!
    head -c 100 "$scratch/fifo" >/dev/null
    gone "$pid"
}

# The parent is a shell that is killed; its child must die with it.
a_killed_parent_takes_the_probe_along() {
    sh -c '"$1" load spin >"$2/k" & echo $! >"$2/pid"; wait' sh "$probe" "$scratch" &
    parent=$!
    heard "$scratch/k"
    kill -KILL "$parent"
    wait "$parent" 2>/dev/null
    gone "$(cat "$scratch/pid")"
}

wrong_arguments_end_before_anything_is_written() {
    "$probe" measure wakeup --count 1 --period 5 >"$scratch/out" 2>"$scratch/say"
    [ $? = 2 ] && empty "$scratch/out" && one_line "$scratch/say"
}

an_absent_processor_is_refused() {
    "$probe" measure wakeup --count 1 --cpu 4000 >"$scratch/out" 2>"$scratch/say"
    [ $? = 4 ] && empty "$scratch/out" && one_line "$scratch/say" && grep -q 'CPU 4000' "$scratch/say"
}

without_the_right_it_is_refused_with_the_fix() {
    $unprivileged "$probe" measure wakeup --count 1 >"$scratch/out" 2>"$scratch/say"
    [ $? = 5 ] && empty "$scratch/out" && one_line "$scratch/say" && grep -q 'best-effort' "$scratch/say"
}

best_effort_goes_on_and_warns() {
    $unprivileged "$probe" measure wakeup --count 10 --idle off --best-effort >"$scratch/b" 2>"$scratch/say" &&
        dump "$scratch/b" && has "$scratch/b" 'NOTE severity=1 real-time priority' && has "$scratch/b" 'END reason=0'
}

a_runaway_is_stopped_by_the_guard() {
    timeout 60 "$probe" measure runaway --count 1 >"$scratch/r" 2>"$scratch/say"
    [ $? = 1 ] && one_line "$scratch/say" && dump "$scratch/r" && has "$scratch/r" 'END reason=2'
}

# The kernel returns the strongest request of all programs; without any request it returns 2,000,000,000 us (pm_qos.h).
idle_latency() { od -An -td4 -N4 /dev/cpu_dma_latency | tr -d ' '; }

idle_states_come_back_after_kill_9() {
    before=$(idle_latency)
    "$probe" measure wakeup --for-ns 60000000000 --idle off >"$scratch/d" &
    pid=$!
    heard "$scratch/d"
    during=$(idle_latency)
    kill -KILL "$pid"
    wait "$pid" 2>/dev/null
    [ "$during" = 0 ] && [ "$(idle_latency)" = "$before" ]
}

a_full_disk_does_not_end_the_disk_load() {
    unshare -m sh -c 'mount -t tmpfs -o size=2m none "$2" && TMPDIR="$2" "$1" load disk --for-ns 2000000000' sh \
        "$probe" "$scratch/full" >"$scratch/f" && dump "$scratch/f" && has "$scratch/f" 'NOTE severity=1 load disk' &&
        has "$scratch/f" 'END reason=0'
}

expect a_measure_accounts_for_every_release a_measure_accounts_for_every_release
expect sigint_leaves_a_whole_stream interrupted INT
expect sigterm_leaves_a_whole_stream interrupted TERM
expect a_load_is_interrupted_whole a_load_is_interrupted_whole
expect every_load_makes_progress every_load_makes_progress
expect copies_of_pairs_are_pairs copies_of_pairs_are_pairs
if "$probe" load spin --priority 20 --for-ns 1 >/dev/null 2>"$scratch/say"; then
    expect copies_of_a_load_are_threads copies_of_a_load_are_threads_of_the_priorities_asked_for
else
    skip copies_of_a_load_are_threads "$(cat "$scratch/say")"
fi
expect every_operation_accounts_for_every_sample every_operation_accounts_for_every_sample
expect a_second_process_that_dies_is_told a_second_process_that_dies_is_told_and_what_was_measured_stays
expect a_killed_probe_takes_its_second_process_along a_killed_probe_takes_its_second_process_along
expect marks_go_to_a_parallel_port_or_nowhere marks_go_to_a_parallel_port_or_nowhere
expect a_full_disk_is_said_in_one_line a_full_disk_is_said_in_one_line
expect a_measure_ends_when_its_host_does a_host_that_goes_away_ends_the_probe measure wakeup --for-ns 60000000000 --best-effort
expect a_load_ends_when_its_host_does a_host_that_goes_away_ends_the_probe load spin
expect a_killed_parent_takes_the_probe_along a_killed_parent_takes_the_probe_along
expect wrong_arguments_end_before_anything_is_written wrong_arguments_end_before_anything_is_written
expect an_absent_processor_is_refused an_absent_processor_is_refused

unprivileged=""
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    chmod 755 "$scratch" && cp "$probe" "$scratch/probe" && probe="$scratch/probe"
    unprivileged="setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all"
    $unprivileged true 2>/dev/null || unprivileged=""
fi
if [ -n "$unprivileged" ] || [ $realtime = no ]; then
    expect without_the_right_it_is_refused_with_the_fix without_the_right_it_is_refused_with_the_fix
    expect best_effort_goes_on_and_warns best_effort_goes_on_and_warns
    expect without_another_process_it_is_refused without_another_process_it_is_refused
else
    skip without_the_right_it_is_refused_with_the_fix "this user has the right and cannot give it up (setpriv)"
fi
probe="$build/probe"

if [ $realtime = yes ]; then
    expect resident_memory_is_flat resident_memory_is_flat
    expect a_runaway_is_stopped_by_the_guard a_runaway_is_stopped_by_the_guard
else
    skip resident_memory_is_flat "no right to lock memory or to real-time priority"
    skip a_runaway_is_stopped_by_the_guard "no right to real-time priority"
fi
if [ $realtime = yes ] && [ -w /dev/cpu_dma_latency ]; then
    expect idle_states_come_back_after_kill_9 idle_states_come_back_after_kill_9
else
    skip idle_states_come_back_after_kill_9 "cannot write /dev/cpu_dma_latency here"
fi
mkdir "$scratch/full"
if unshare -m mount -t tmpfs none "$scratch/full" 2>/dev/null; then
    expect a_full_disk_does_not_end_the_disk_load a_full_disk_does_not_end_the_disk_load
else
    skip a_full_disk_does_not_end_the_disk_load "no right to mount"
fi
exit $((failures > 0))
