#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# Operations of osbench beside the tools that time the same: rt-tests, and perf bench (linux-perf).
#
# In each round the tool measures its rows, runs the others, and measures its rows once more as they do, both threads at one
# priority; all on one processor. The figure is the median over the rounds of ours / theirs. rt-tests have a step of 1 us, so
# the ratio of means is judged and that of the smallest is shown. docs/evidence/osbench.md says what each times, and which two time
# something else than our row. BENCH_ROUNDS multiplies the rounds, in percent.
set -eu
cd "$(dirname "$0")/.."
rounds=$((12 * ${BENCH_ROUNDS:-100} / 100))
samples=500
out=target/bench/osbench
mkdir -p $out

# osbench WORD...: one run, its text in $out/text.
osbench() {
    rm -rf $out/run
    target/release/backwall bench osbench "$@" --output $out/run >$out/text 2>$out/say || { cat $out/say >&2 && return 1; }
}

# Of the table beside other tools: tool, our min, our mean, its min, its mean, in us, "-" where it does not say. Of two rows of
# ours the second counts, which has the tool's priorities.
ratios() {
    awk 'function told() { if (ours != "") print name, ours, theirs; ours = "" }
        /^tool / { inside = 1; next }
        inside && NF == 0 { told(); exit }
        inside && $1 == "ours," { ours = $(NF - 2) " " $(NF - 1); next }
        inside { told(); name = $1 == "perf" ? "perf-" $4 : $1; theirs = $(NF - 2) " " $(NF - 1) }' $out/text
}

: >$out/rounds
for _ in $(seq $rounds); do
    osbench --compare rt-tests --compare perf -n $samples
    ratios >>$out/rounds
done
[ -s $out/rounds ] || { echo "bench_osbench: none of the other tools is installed: apt install rt-tests linux-perf" >&2 && exit 1; }

# median COLUMN TOOL of ours / theirs, and of both alone.
for tool in $(cut -d' ' -f1 $out/rounds | sort -u); do
    case $tool in perf-*) goal=0.95-1.05 ;; *) goal=0.90-1.10 ;; esac
    for what in mean min; do
        awk -v tool="$tool" -v ours=$([ $what = mean ] && echo 3 || echo 2) '$1 == tool && $(ours + 2) + 0 > 0 {
            print $ours / $(ours + 2), $ours, $(ours + 2) }' $out/rounds | sort -n >$out/sorted
        awk -v tool="$tool" -v what=$what -v goal=$goal -v samples=$samples '
            { ratio[NR] = $1; ours[NR] = $2; theirs[NR] = $3 }
            END {
                if (NR == 0) exit
                middle = int((NR + 1) / 2)
                split(goal, limits, "-")
                met = what == "min" ? "-" : ratio[middle] >= limits[1] && ratio[middle] <= limits[2] ? "yes" : "no"
                printf "osbench.%s.%s-ratio\t%.3f\tratio\t%s\t%s\t%s\t%s\t", tool, what, ratio[middle], \
                    what == "min" ? "-" : goal, met, tool, theirs[middle] " us"
                printf "ours %s us; median of %d rounds of %d samples; ratios %.3f to %.3f\n", ours[middle], NR, samples, ratio[1], ratio[NR]
            }' $out/sorted
    done
done

begun=$(date +%s)
osbench --all
took=$(($(date +%s) - begun))
printf 'osbench.all\t%d\ts\t60\t%s\t-\t-\t%s\n' $took "$([ $took -le 60 ] && echo yes || echo no)" \
    "-all with 100 samples a row: $(grep -c '"per_value":' $out/run/run.json) rows"
