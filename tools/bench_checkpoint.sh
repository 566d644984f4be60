#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# What a checkpoint costs the measured thread: the distribution of its latencies with and without, in pairs of short blocks
# whose order is random. With: one each 50 ms, 600 times as many as a run makes. A figure is the ratio with to without, the
# geometric mean of all pairs with its 95 % interval (Student's t). The goal is that the interval holds 1; it is missed where
# all of the interval lies above 1, and there is no verdict where the interval is wider than 6 % of a median.
set -eu
cd "$(dirname "$0")/.."
cpu=$(($(nproc) - 1))
pairs=${BACKWALL_PAIRS:-30}
out=target/bench/checkpoint
rm -rf $out && mkdir -p $out
make -s -C probe OUT="$PWD/$out"

# block EVERY: median, 99 % and 99.9 % quantile and maximum of a second, in nanoseconds.
block() {
    rm -rf $out/run
    target/release/backwall run --quiet --probe $out/probe --cpu $cpu --load none --idle as-is --period 500us --for 1s \
        --checkpoint-every "$1" --out $out/run >&2
    target/release/backwall export csv $out/run | tr -d '\r' | awk -F, '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        NR == 2 { print $at["q0.5"], $at["q0.99"], $at["q0.999"], $at["max"] }'
}

# pair SEED: both blocks, in the order that the seed says; prints with, then without.
pair() {
    if [ "$(awk -v seed="$1" 'BEGIN { srand(seed); rand(); print rand() < 0.5 }')" = 1 ]; then
        with=$(block 50ms) && without=$(block 1h)
    else
        without=$(block 1h) && with=$(block 50ms)
    fi
    echo "$with $without"
}

seq "$pairs" | while read -r number; do pair "$number"; done >$out/pairs
awk -v cpu=$cpu '
    NF == 8 {
        n++
        for (i = 1; i <= 4; i++) { r = log($i / $(i + 4)); sum[i] += r; squares[i] += r * r; with[i] += $i; without[i] += $(i + 4) }
    }
    END {
        split("median p99 p99.9 max", name, " ")
        for (i = 1; i <= 4; i++) {
            mean = sum[i] / n
            half = 2.05 * sqrt((squares[i] / n - mean * mean) / (n - 1)) # t for about 30 pairs
            low = exp(mean - half); high = exp(mean + half)
            met = low > 1 ? "no" : i == 1 && high / low > 1.06 ? "-" : "yes"
            printf "checkpoint.%s_ratio\t%.3f\tratio\tholds 1\t%s\twithout, mean ns\t%.0f\t95 %% interval %.3f to %.3f; with %.0f ns; %d pairs of 1 s, CPU %d, a checkpoint each 50 ms\n", \
                name[i], exp(mean), met, without[i] / n, low, high, with[i] / n, n, cpu
        }
    }' $out/pairs
