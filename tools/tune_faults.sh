#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# Plants faults that really make a loop late, lets `backwall tune` find and mend each, and takes them away; as root, on processor 1, or on
# 0 where there is one alone. One tab-separated line a fault: its name, the setting, "yes" or "no", and the words of the trial.
#
#   tools/tune_faults.sh FOLDER FAULT...      with BACKWALL and FAULTS, the tool and probe/bench/faults.c as a program
#
# Every loop is a process of its own, `bf-loop`; what disturbs it is another.
set -u
folder=$1 && shift
slice=${BACKWALL_SLICE:-500ms}
mkdir -p "$folder"
cpu=1 && [ -d /sys/devices/system/cpu/cpu1 ] || cpu=0
groups=/sys/fs/cgroup started='' undo=''

# starts WORDS...: a program that lives as long as the fault; "$!" is its number.
starts() {
    : >"$folder/started"
    "$FAULTS" "$@" >"$folder/started" 2>&1 &
    started="$started $!"
    until grep -q . "$folder/started"; do sleep 0.05; done
    grep -q '^ready' "$folder/started" || return 1
}

# holds FILE VALUE: a file of the kernel holds a value as long as the fault.
holds() {
    undo="echo '$(sed 's/.*\[\(.*\)\].*/\1/' "$1")' >$1; $undo"
    echo "$2" >"$1"
}

# searches PRIORITY PROCESSORS: the kernel's search for equal pages is at work, as somebody's script has left it.
searches() {
    ksm=/sys/kernel/mm/ksm search=$(pgrep -x ksmd)
    holds $ksm/pages_to_scan 4000 && holds $ksm/sleep_millisecs 10
    [ ! -e $ksm/smart_scan ] || holds $ksm/smart_scan 0
    holds $ksm/run 1
    undo="$undo chrt -o -p 0 $search >/dev/null; taskset -pc 0-63 $search >/dev/null 2>&1 || taskset -p ffffffff $search >/dev/null;"
    chrt -f -p "$1" "$search" >/dev/null && taskset -p "$2" "$search" >/dev/null
    starts merge 100 0 -1 0
}

# in_group CONTROLLER PROGRAM...: makes a group of either version of control groups, and lets a shell start loops in it.
group() {
    place=$groups/$1/backwall-faults
    [ -d "$groups/$1" ] || place=$groups/backwall-faults
    [ ! -e "$groups/cgroup.subtree_control" ] || echo "+$1" >"$groups/cgroup.subtree_control"
    mkdir -p "$place"
    undo="rmdir $place; $undo"
}

# Every fault: plants it and says which setting mends it.
plant() {
    case $1 in
        daemon-at-99)
            setting=real-time-threads
            starts loop 1000 100 $cpu 80 && starts burn 3000 17000 $cpu 99
            ;;
        low-priority)
            setting=app-priority
            starts loop 1000 100 $cpu 10 && starts burn 3000 17000 $cpu 40
            ;;
        no-priority)
            setting=app-priority
            starts loop 1000 100 $cpu 0 && starts burn 1000000 0 $cpu 0 && starts burn 1000000 0 $cpu 0 && starts burn 1000000 0 $cpu 0
            ;;
        beside-a-hog)
            setting=app-cpu
            starts loop 1000 100 0 80 && starts burn 3000 7000 0 90
            ;;
        quota)
            setting=quota
            group cpu
            if [ -e "$place/cpu.max" ]; then echo "20000 100000" >"$place/cpu.max"; else
                echo 100000 >"$place/cpu.cfs_period_us" && echo 20000 >"$place/cpu.cfs_quota_us"
            fi
            starts loop 1000 100 $cpu 0 && echo "$!" >"$place/cgroup.procs" || return 1
            starts burn 1000000 0 0 0 && echo "$!" >"$place/cgroup.procs"
            ;;
        cpuset)
            setting=cpuset
            group cpuset
            echo 0 >"$place/cpuset.cpus" && { [ ! -e "$place/cpuset.mems" ] || echo 0 >"$place/cpuset.mems"; }
            starts loop 1000 100 -1 80 && echo "$!" >"$place/cgroup.procs" || return 1
            starts burn 3000 7000 0 90
            ;;
        huge-pages)
            setting=huge-pages
            holds /sys/kernel/mm/transparent_hugepage/defrag always && holds /sys/kernel/mm/transparent_hugepage/enabled always
            starts loop 1000 100 $cpu 80 && starts touch 8 5000 $cpu 90
            ;;
        page-merging)
            setting=page-merging
            starts loop 1000 100 $cpu 80 && searches 90 $((1 << cpu))
            ;;
        kernel-thread)
            setting=kernel-threads
            starts loop 1000 100 $cpu 80 && starts burn 3000 2000 0 95 && searches 90 3
            ;;
        rcu-expedited)
            setting=rcu-expedited
            holds /sys/kernel/rcu_expedited 1
            starts loop 200 20 $cpu 80 && starts barrier 0 0 0 0 && starts barrier 0 0 0 0
            ;;
        throttling)
            setting=throttling
            holds /proc/sys/kernel/sched_rt_runtime_us 60000 && holds /proc/sys/kernel/sched_rt_period_us 100000
            starts loop 1000 100 $cpu 80 && starts burn 80000 20000 $cpu 70
            ;;
        fair-server)
            setting=fair-server
            # Its 50 ms in each 100, the shortest period that the kernel takes, and no longer in each second.
            holds /sys/kernel/debug/sched/fair_server/cpu$cpu/period 100000000 || return 1
            starts loop 1000 100 $cpu 80 && starts burn 35000 15000 $cpu 70 && starts burn 1000000 0 $cpu 0
            ;;
        interrupt-thread)
            setting=interrupt-threads
            # Every sixteen letters the line asks for more, at once where it is emulated; its thread has a priority of 50.
            starts loop 1000 100 $cpu 40 && stty -F /dev/ttyS1 115200 raw || return 1
            (exec 4>/dev/ttyS1 && while :; do head -c 4096 "$FAULTS" >&4 && sleep 0.002; done) &
            started="$started $!"
            ;;
        *)
            echo "tune_faults: $1: no fault of that name" >&2
            return 2
            ;;
    esac
}

away() {
    # A subshell's own children go first.
    for one in $started; do
        pkill -KILL -P "$one" 2>/dev/null
        kill -KILL "$one" 2>/dev/null
        wait "$one" 2>/dev/null
    done
    eval "$undo"
    started='' undo=''
}

mended() {
    found=no kept=no words=
    if ! plant "$1"; then
        words="not planted: $(tr '\n' ' ' <"$folder/started")"
    else
        "$BACKWALL" tune plan -a $cpu --app bf-loop --json 2>>"$folder/log" | grep -q "\"$setting\"" && found=yes
        words=$("$BACKWALL" tune try "$setting" --apply -a $cpu --app bf-loop --duration "$slice" --output "$folder/$1" 2>&1 | head -n 8 | tr -s '\n ' ' ')
        case $words in *"$setting: KEPT"*) kept=yes ;; esac
        "$BACKWALL" tune undo >>"$folder/log" 2>&1
    fi
    away
    met=no && [ $found$kept = yesyes ] && met=yes
    printf '%s\t%s\t%s\t%s\n' "$1" "${setting:-}" $met "$words"
}

trap 'away; "$BACKWALL" tune undo >/dev/null 2>&1; exit 4' INT TERM
for fault in "$@"; do mended "$fault"; done
