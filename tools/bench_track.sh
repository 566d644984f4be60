#!/bin/bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# What `track` adds to programs that switch as often as they can, beside what `perf sched record -a` adds to the same ones, one tab-separated
# line a figure: name value unit goal met peer peer_value conditions. Rounds of three runs each: nothing recorded, and each of the two.
set -eu
cd "$(dirname "$0")/.."
tool=${BACKWALL:-target/release/backwall} rounds=${BACKWALL_ROUNDS:-9}
out=target/bench/track
rm -rf $out && mkdir -p $out
perf bench sched pipe -l 10 >/dev/null 2>&1 || { echo "bench: no perf: tools/install.sh bench" >&2 && exit 0; }

# What is run, and says how many seconds it took.
pipe() {
    echo "perf bench -f simple sched pipe -l 60000"
}
messaging() {
    echo "perf bench -f simple sched messaging -g 4 -l 1000"
}

# seconds COMMAND...: what it says of its own time; who records it says other things on other lines.
seconds() {
    "$@" 2>"$out/say" | grep -oE '^[0-9]+\.[0-9]+$' | tail -n 1
}

# round WHAT NUMBER: one row of seconds: alone, with track, with perf.
round() {
    local alone tracked perfed
    # shellcheck disable=SC2046
    set -- $("$1")
    alone=$(seconds "$@")
    rm -rf "$out/tracked"
    tracked=$(seconds "$tool" track --quiet --out "$out/tracked" -- "$@")
    perfed=$(seconds perf sched record -a -o "$out/perf.data" -- "$@")
    echo "$alone $tracked $perfed"
}

for what in pipe messaging; do
    for ((number = 0; number < rounds; number++)); do round $what; done >"$out/$what"
    awk -v OFS='\t' -v what=$what '
        function median(of, count, sorted, i, j, kept) {
            for (i = 1; i <= count; i++) sorted[i] = of[i]
            for (i = 2; i <= count; i++) { kept = sorted[i]; for (j = i - 1; j > 0 && sorted[j] > kept; j--) sorted[j + 1] = sorted[j]; sorted[j + 1] = kept }
            return count % 2 ? sorted[(count + 1) / 2] : (sorted[count / 2] + sorted[count / 2 + 1]) / 2
        }
        NF == 3 { rows++; alone[rows] = $1; track[rows] = $2 - $1; perf[rows] = $3 - $1 }
        END {
            if (rows == 0) exit 1
            own = median(track, rows); peers = median(perf, rows)
            ratio = peers > 0 ? own / peers : -1
            print "track.added." what, (ratio >= 0 ? sprintf("%.2f", ratio) : "-"), "of perf", "<= 0.4", \
                (ratio < 0 ? "-" : ratio <= 0.4 ? "yes" : "no"), "perf sched record -a", sprintf("%.3f s", peers), \
                sprintf("%.3f s added at the median of %d rounds, to %.3f s", own, rows, median(alone, rows))
        }' "$out/$what"
done
