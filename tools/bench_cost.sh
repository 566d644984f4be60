#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# Executed instructions of a wake-up in the lab, one tab-separated line a figure: name value unit goal met peer peer_value
# conditions. The probe, cyclictest and the bare loop, on Debian's stock and PREEMPT_RT kernels, and each way to record a thread switch.
set -eu
cd "$(dirname "$0")/.."
wake_ups=${BACKWALL_WAKE_UPS:-2000}
out=target/bench/cost
mkdir -p $out
gcc -O2 -std=c11 -Wall -Wextra -Werror -static -o $out/bare probe/bench/bare.c
# A kernel that cannot be had leaves the other one's figures.
failed=0
for kernel in stock rt; do
    target/release/backwall lab cost --kernel $kernel --wake-ups "$wake_ups" --wall-limit 200s \
        "$out/bare 0 80 1000000 {n} as-is only" >$out/$kernel.txt || { failed=1 && continue; }
    awk -v OFS='\t' -v kernel=$kernel '
        NR == 1 { where = $0 }
        NR > 2 && NF == 4 { sum[$1] = $4; parts[$1] = $2 " in user mode, " $3 " in kernel mode" }
        END {
            for (peer in sum) if (peer != "backwall")
                print "cost." kernel ".to_" peer, sum["backwall"], "instructions", peer == "bare" ? "-" : "<= " peer, \
                    peer == "bare" ? "-" : sum["backwall"] <= sum[peer] ? "yes" : "no", peer, sum[peer], \
                    parts["backwall"] "; " peer " " parts[peer] "; " where
        }' $out/$kernel.txt
    target/release/backwall lab cost --tracing --kernel $kernel --wall-limit 200s >$out/$kernel-tracing.txt || { failed=1 && continue; }
    awk -v OFS='\t' -v kernel=$kernel '
        NR == 1 { where = $0 }
        NR > 3 && NF == 5 { print "cost." kernel ".recording_" $1, $5, "instructions", "-", "-", "-", "-", "added to a thread switch; " where }
    ' $out/$kernel-tracing.txt
done
exit $failed
