#!/bin/bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# How many of injected causes are named, by kind and by way of asking, one tab-separated line a figure: name value unit goal met peer
# peer_value conditions. A real-time thread is kept from its work for 8 ms at a time (BACKWALL_HELD_MS); as root, on two processors at least.
# The probes of this tool have all their memory in place, so that no page fault of their own can be injected.
set -eu
cd "$(dirname "$0")/.."
tool=${BACKWALL:-target/release/backwall} times=${BACKWALL_TIMES:-20}
ways=${BACKWALL_WAYS:-attach track run snapshot tasks} kinds=${BACKWALL_KINDS:-stop freeze above interrupt sigtimedwait sigaction fault hotplug}
snapshots=10 # the tool keeps no more of one phase
out=target/bench/causes
rm -rf $out && mkdir -p $out
# A guest has no compiler: it brings the program.
causes=${BACKWALL_CAUSES:-$out/causes}
[ -n "${BACKWALL_CAUSES:-}" ] || gcc -O2 -std=c11 -Wall -Wextra -Werror -o $out/causes probe/bench/causes/*.c
tracing=$(awk '$3 == "tracefs" { print $2; exit }' /proc/mounts)
groups=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
group=$groups/backwall-bench-$$
ulimit -n 20000 2>/dev/null || true
[ -z "$groups" ] || mkdir "$group"
other=/sys/devices/system/cpu/cpu1/online
trap 'rmdir "$group" 2>/dev/null || true; [ ! -w $other ] || echo 1 >$other' EXIT
printf '[[series]]\nname = "victim"\nperiod = "1ms"\ncomputation = "100us"\npriority = 80\n' >$out/set.toml
printf '[[series]]\nname = "victim"\nperiod = "200us"\ncomputation = "20us"\npriority = 80\n' >$out/often.toml

# says KIND: how a cause of that kind is called.
says() {
    case $1 in
        stop) echo 'stopped by culprit' ;;
        freeze) echo 'frozen by culprit' ;;
        above) echo 'culprit .*real-time 90' ;;
        interrupt) echo 'interrupt (local_timer|arch_timer|riscv-timer)' ;;
        sigtimedwait | sigaction | eventfd) echo "masked by [a-z_]*$1" ;;
        fault) echo 'a page fault of the thread' ;;
        hotplug) echo "CPU 1 (was taken off|came on) line" ;;
    esac
}

# measured KIND: the processor of the thread that is kept from its work; the other one can go off line.
measured() {
    case $1 in
        hotplug) echo 0 ;;
        *) echo 1 ;;
    esac
}

# cannot KIND: why that kind is none here, in one line; nothing where it is one.
cannot() {
    case $1 in
        freeze) [ -n "$groups" ] || echo "no control groups of version 2" ;;
        interrupt | sigtimedwait | sigaction | eventfd)
            case $(uname -v) in *PREEMPT_RT*) echo "with PREEMPT_RT a thread does that, and interrupts are let in" ;; esac
            ;;
    esac
}

# asks WAY THREAD FOLDER KIND: measures for as long as all injections take. What masks interrupts does so for some 4 ms, of which
# about half lies behind a release. A processor that goes off line stops the others for about 1 ms. The
# traced phase of run is a third of the other.
asks() {
    local limit=6ms period=1ms set=set long=9s cpu
    [ "${BACKWALL_HELD_MS:-8}" -le 8 ] || long=15s
    cpu=$(measured "$4")
    case $4 in
        sigtimedwait | sigaction | eventfd) limit=1500us ;;
        hotplug) limit=600us period=200us set=often long=16s ;;
    esac
    local probe=(--load none --idle as-is --period "$period" --cpu "$cpu" --priority 80 --quiet --out "$3")
    case $1 in
        attach) exec "$tool" watch thread:"$2" -D 7s --quiet --out "$3" ;;
        track) exec "$tool" trace record --faults --for 7s --out "$3" ;;
        run) exec "$tool" run "${probe[@]}" --for "$long" ;;
        snapshot) exec "$tool" run "${probe[@]}" --for 4s --snapshot-above "$limit" ;;
        tasks) exec "$tool" tasks run "$out/$set.toml" --cpu "$cpu" --for 5s --trace --quiet --out "$3" ;;
    esac
}

# has_thread PROCESS NAME: whether the process has a thread of that name.
has_thread() {
    grep -qsx "$2" /proc/"$1"/task/*/comm
}

# recorded TOOL: waits until the kernel's trace is, and a second more; an emulated machine takes its time.
recorded() {
    until grep -qs 1 "$tracing"/instances/*/tracing_on || [ ! -e /proc/"$1" ]; do sleep 0.1; done
    sleep 1
}

# probe_of TOOL WAY: the process of the thread that is measured, once it is; run traces in its second phase.
probe_of() {
    local child
    while [ -e /proc/"$1" ]; do
        if [ "$2" != run ] || has_thread "$1" backwall-trace; then
            for child in $(cat /proc/"$1"/task/*/children); do
                case $(cat /proc/"$child"/comm 2>/dev/null) in
                    bw-*) sleep 1 && echo "$child" && return ;;
                esac
            done
        fi
        sleep 0.1
    done
}

# counted KIND WAY FOLDER: how many are named as the largest share.
counted() {
    local limits=()
    if [ "$2" = snapshot ]; then
        cat "$3"/trace/*/blame.txt 2>/dev/null | sed 's/^[^:]*: //; s/;.*//' | grep -Ec "$(says "$1")" || true
        return
    fi
    [ "$2" != track ] || limits=(--thread victim --above "$([ "$1" = hotplug ] && echo 200us || echo 1500us)")
    "$tool" blame "$3" "${limits[@]}" >"$3.blame" 2>&1 || true
    awk -v says="$(says "$1")" -f tools/bench_named.awk "$3.blame"
}

# one WAY KIND: injects so many and counts those that are named.
one() {
    local folder=$out/$2.$1 tried=$times given=() thread= asked= culprit named
    case $1 in
        attach | track) ;;
        *)
            [ "$1" != snapshot ] || tried=$snapshots
            asks "$1" - "$folder" "$2" >"$folder.say" 2>&1 &
            asked=$!
            given=("$(probe_of $asked "$1")")
            ;;
    esac
    coproc injector { exec "$causes" "$2" "$tried" "$(measured "$2")" "$group" "${given[@]}"; }
    culprit=$injector_PID
    read -r _ thread <&"${injector[0]}"
    if [ -z "$asked" ]; then
        asks "$1" "$thread" "$folder" "$2" >"$folder.say" 2>&1 &
        asked=$!
        recorded "$asked"
    fi
    echo >&"${injector[1]}"
    wait "$asked" || true
    wait "$culprit" 2>/dev/null || true
    named=$(counted "$2" "$1" "$folder")
    awk -v OFS='\t' -v named="$named" -v tried="$tried" -v name="causes.$2 $1" 'BEGIN {
        right = named < tried ? named + 0 : tried
        print name, right, "of " tried, ">= 95 %", (right * 100 >= tried * 95 ? "yes" : "no"), "-", "-", "named as the largest share"
    }'
}

for kind in $kinds; do
    [ "$kind" != hotplug ] || [ -w $other ] || { echo "bench: no processor that can go off line" >&2 && continue; }
    why=$(cannot "$kind")
    [ -z "$why" ] || { echo "bench: $kind: $why" >&2 && continue; }
    for way in $ways; do
        case $kind.$way in
            fault.run | fault.snapshot | fault.tasks) continue ;;
        esac
        one "$way" "$kind"
    done
done
