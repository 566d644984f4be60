#!/bin/bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# What `trace record` adds to programs that switch as often as they can, beside what `perf sched record -a` adds to the same ones,
# one tab-separated line a figure: name value unit goal met peer peer_value conditions. Rounds of one run each:
# nothing recorded, and each of the recorders, every other round the other way round.
set -eu
cd "$(dirname "$0")/.."
tool=${BACKWALL:-target/release/backwall} rounds=${BACKWALL_ROUNDS:-10}
out=target/bench/track
rm -rf $out && mkdir -p $out
perf bench sched pipe -l 10 >/dev/null 2>&1 || { echo "bench: no perf: tools/install.sh bench" >&2 && exit 0; }
last=$(($(nproc) - 1))
ways="alone track perf"

# What is run, and says how many seconds it took. The two of the pipe have one processor: on two of them it takes from half as long to twice as
# long, by where the scheduler happens to put them.
pipe() {
    echo "taskset -c $last perf bench -f simple sched pipe -l 60000"
}
messaging() {
    echo "perf bench -f simple sched messaging -g 4 -l 1000"
}

# seconds COMMAND...: what it says of its own time; who records it says other things on other lines.
seconds() {
    "$@" 2>"$out/say" | grep -oE '^[0-9]+\.[0-9]+$' | tail -n 1
}

# once WAY COMMAND...: its seconds with that recorder.
once() {
    local way=$1
    shift
    case $way in
        alone) seconds "$@" ;;
        track) rm -rf "$out/tracked" && seconds "$tool" trace record --quiet --output "$out/tracked" -- "$@" ;;
        perf) seconds perf sched record -a -o "$out/perf.data" -- "$@" ;;
    esac
}

# round WHAT NUMBER: one row of pairs of a way and its seconds.
round() {
    local way order=$ways
    [ $(($2 % 2)) = 0 ] || order=$(tac -s ' ' <<<"$order " | tr '\n' ' ')
    for way in $order; do
        # shellcheck disable=SC2046
        printf '%s %s ' "$way" "$(once "$way" $("$1"))"
    done
    echo
}

for what in ${BACKWALL_WHAT:-pipe messaging}; do
    for ((number = 0; number < rounds; number++)); do round $what $number; done >"$out/$what"
    awk -v OFS='\t' -v what=$what '
        function median(of, count, sorted, i, j, kept) {
            for (i = 1; i <= count; i++) sorted[i] = of[i]
            for (i = 2; i <= count; i++) { kept = sorted[i]; for (j = i - 1; j > 0 && sorted[j] > kept; j--) sorted[j + 1] = sorted[j]; sorted[j + 1] = kept }
            return count % 2 ? sorted[(count + 1) / 2] : (sorted[count / 2] + sorted[count / 2 + 1]) / 2
        }
        function row(name, goal, peer, peers) {
            ratio = peers > 0 ? own / peers : -1
            print name, (ratio >= 0 ? sprintf("%.2f", ratio) : "-"), "of it", goal, (ratio < 0 || goal == "-" ? "-" : ratio <= 0.4 ? "yes" : "no"), \
                peer, sprintf("%.3f s", peers), sprintf("%.3f s added at the median of %d rounds, to %.3f s", own, rows, median(alone, rows))
        }
        {
            split("", took)
            for (i = 1; i < NF; i += 2) took[$i] = $(i + 1)
            if (!(took["alone"] > 0 && took["track"] > 0 && took["perf"] > 0)) next
            rows++; alone[rows] = took["alone"]; track[rows] = took["track"] - took["alone"]; perf[rows] = took["perf"] - took["alone"]
        }
        END {
            if (rows == 0) exit 1
            own = median(track, rows)
            row("track.added." what, "<= 0.4", "perf sched record -a", median(perf, rows))
        }' "$out/$what"
done
