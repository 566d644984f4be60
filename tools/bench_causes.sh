#!/bin/bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# How many of injected causes are named, by kind and by way of asking, one tab-separated line a figure: name value unit goal met peer
# peer_value conditions. A real-time thread is kept from its work for 8 ms at a time; as root, on two processors at least.
set -eu
cd "$(dirname "$0")/.."
tool=${BACKWALL:-target/release/backwall} times=${BACKWALL_TIMES:-20}
out=target/bench/causes
rm -rf $out && mkdir -p $out
gcc -O2 -std=c11 -Wall -Wextra -Werror -o $out/causes probe/bench/causes.c
groups=$(findmnt -t cgroup2 -n -o TARGET | head -n 1)
group=$groups/backwall-bench-$$
ulimit -n 20000 2>/dev/null || true
[ -z "$groups" ] || mkdir "$group"
trap 'rmdir "$group" 2>/dev/null || true' EXIT

# says KIND: how a cause of that kind is called.
says() {
    case $1 in
        stop) echo 'stopped by culprit' ;;
        freeze) echo 'frozen by culprit' ;;
        above) echo 'culprit .*real-time 90' ;;
        fault) echo 'a page fault of the thread' ;;
    esac
}

# asks WAY THREAD FOLDER: follows it for as long as all injections take.
asks() {
    case $1 in
        attach) "$tool" run --attach "$2" --for 7s --quiet --out "$3" ;;
        track) "$tool" track --faults --for 7s --out "$3" ;;
    esac
}

# one WAY KIND: injects so many and counts those that are named.
one() {
    local folder=$out/$2.$1 limits=() thread culprit asked
    coproc injector { exec $out/causes "$2" "$times" 1 "$group"; }
    culprit=$injector_PID
    read -r _ thread <&"${injector[0]}"
    asks "$1" "$thread" "$folder" >"$folder.say" 2>&1 &
    asked=$!
    sleep 1
    echo >&"${injector[1]}"
    wait "$asked" || true
    wait "$culprit" 2>/dev/null || true
    [ "$1" = attach ] || limits=(--thread victim --above 1500us)
    "$tool" blame "$folder" "${limits[@]}" >"$folder.blame" 2>&1 || true
    awk -v OFS='\t' -v says="$(says "$2")" -v tried="$times" -v name="causes.$2 $1" '
        $2 == "of" && $0 ~ ": .*" says { named += $1 }
        END {
            right = named < tried ? named + 0 : tried
            print name, right, "of " tried, ">= 95 %", (right * 100 >= tried * 95 ? "yes" : "no"), "-", "-", "named as the largest share"
        }' "$folder.blame"
}

for kind in stop freeze above fault; do
    [ $kind != freeze ] || [ -n "$groups" ] || { echo "bench: no control groups of version 2" >&2 && continue; }
    for way in attach track; do
        one $way $kind
    done
done
