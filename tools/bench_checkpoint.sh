#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# What a checkpoint costs the measured thread: the distribution of its latencies with and without, in pairs of short blocks
# whose order is random, as many as seven minutes hold. With: one each 50 ms, 600 times as many as a run makes. A figure is the
# ratio with to without, in the middle of the averages of every two pairs (Hodges and Lehmann), which a few disturbed blocks
# do not move, with the 95 % interval that Wilcoxon's signed ranks give. Median and 99 % quantile have a goal: it is met where
# all of the interval lies below 1 and a margin, 3 % and 10 %, missed where all of it lies above 1, else there is no verdict.
set -eu
cd "$(dirname "$0")/.."
cpu=$(($(nproc) - 1))
pairs=${BACKWALL_PAIRS:-1000}
seconds=${BACKWALL_SECONDS:-420}
out=target/bench/checkpoint
rm -rf $out && mkdir -p $out
make -s -C probe OUT="$PWD/$out"

# block EVERY: median, 99 % and 99.9 % quantile and maximum of a block, in nanoseconds.
block() {
    rm -rf $out/run
    target/release/backwall run --quiet --probe $out/probe --cpu $cpu --load none --idle as-is --period 250us --for 400ms \
        --checkpoint-every "$1" --out $out/run >&2
    target/release/backwall export csv $out/run | tr -d '\r' | awk -F, '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        NR == 2 { print $at["q0.5"], $at["q0.99"], $at["q0.999"], $at["max"] }'
}

# pair: both blocks, in random order; prints with, then without.
pair() {
    if [ "$(shuf -n 1 -e with without)" = with ]; then
        with=$(block 50ms) && without=$(block 1h)
    else
        without=$(block 1h) && with=$(block 50ms)
    fi
    echo "$with $without"
}

end=$(($(date +%s) + seconds))
: >$out/pairs
while [ "$(wc -l <$out/pairs)" -lt "$pairs" ] && [ "$(date +%s)" -lt $end ]; do pair >>$out/pairs; done

# averages COLUMN: of the logarithms of the ratios of every two pairs, each also with itself, in order.
averages() {
    awk -v i="$1" 'NF == 8 && $i > 0 && $(i + 4) > 0 { r[++n] = log($i / $(i + 4)) }
        END { for (a = 1; a <= n; a++) for (b = a; b <= n; b++) print (r[a] + r[b]) / 2 }' $out/pairs | sort -g
}

# figure NAME COLUMN MARGIN: 0 is no goal.
figure() {
    averages "$2" | awk -v name="$1" -v i="$2" -v margin="$3" -v cpu=$cpu -v pairs=$out/pairs '
        { average[NR] = $1 }
        END {
            while ((getline row < pairs) > 0) if (split(row, v, " ") == 8) { n++; with += v[i]; without += v[i + 4] }
            if (n < 6) { printf "checkpoint.%s_ratio\t-\tratio\t-\t-\t-\t-\ttoo few pairs: %d\n", name, n; exit }
            out = int(n * (n + 1) / 4 - 1.96 * sqrt(n * (n + 1) * (2 * n + 1) / 24)) # the rank, by its normal approximation
            if (out < 1) out = 1
            low = exp(average[out]); high = exp(average[NR + 1 - out])
            met = !margin ? "-" : low > 1 ? "no" : high <= 1 + margin ? "yes" : "-"
            printf "checkpoint.%s_ratio\t%.3f\tratio\t%s\t%s\twithout, mean ns\t%.0f\t95 %% interval %.3f to %.3f; with %.0f ns; %d pairs of 0.4 s, CPU %d, a checkpoint each 50 ms\n", \
                name, exp(average[int((NR + 1) / 2)]), margin ? "<= " 1 + margin : "-", met, without / n, low, high, with / n, n, cpu
        }'
}
figure median 1 0.03
figure p99 2 0.10
figure p99.9 3 0
figure max 4 0
