#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# The analysis of a set of 1,000 tasks on one processor, as a user calls it: reading, response times, their terms, the table.
# Then predictions beside what Detent does in the lab. Periods are spread from 1 ms to 1 s, deadlines are the periods, the utilisation is 0.75.
set -eu
cd "$(dirname "$0")/.."
tasks=1000
out=target/bench/tasks
mkdir -p $out
awk -v tasks=$tasks 'BEGIN {
    srand(7)
    for (i = 0; i < tasks; i++) {
        period = int(1000000 * exp(log(1000) * i / (tasks - 1)))
        printf "[[series]]\nname = \"t%d\"\nperiod = \"%dns\"\ncomputation = \"%dns\"\npriority = %d\n\n", i, period, 0.75 * period / tasks * (0.5 + rand()), tasks - i
    }
}' >$out/set.toml
best=
for _ in 1 2 3 4 5; do
    begun=$(date +%s%N)
    target/release/backwall tasks predict $out/set.toml >$out/text || { cat $out/text >&2 && exit 1; }
    took=$((($(date +%s%N) - begun) / 1000000))
    [ -n "$best" ] && [ "$best" -le $took ] || best=$took
done
printf 'tasks predict\t%d\tms\t1000\t%s\t-\t-\t%s\n' "$best" "$([ "$best" -le 1000 ] && echo yes || echo no)" \
    "$(grep -c '^ *t[0-9]' $out/text) of $tasks tasks in the table, one processor, fixed priorities; whole command, best of 5"

# The largest prediction over the worst that was measured, of every series with a bound of the shipped sets that Detent can run.
for set in lehoczky-3:700ms overload:900ms control:3s; do
    rm -rf $out/run
    target/release/backwall tasks run docs/how-to/tasks/${set%:*}.toml --for "${set#*:}" --guest detent-probe --quiet --output $out/run >/dev/null 2>&1 ||
        [ $? = 1 ] || { echo "SKIP tasks on Detent: $set failed" >&2 && exit 0; }
    target/release/backwall report $out/run --json
done | awk '
    /"name":/ { split($0, part, "\""); name = part[4] }
    /"task":/ { split($0, part, "\""); task = part[4] }
    /^ *"max":/ && name == "response" { gsub(/[^0-9]/, "", $2); if ($2 + 0 > worst[task] + 0) worst[task] = $2 + 0 }
    match($0, /"bound": [0-9]+/) && worst[name] > 0 { series++; ratio = substr($0, RSTART + 9, RLENGTH - 9) / worst[name]; if (ratio > most) most = ratio; if (ratio < 1) above++ }
    END {
        if (series) printf "tasks predicted on Detent\t%.4f\ttimes\t1.5\t%s\t-\t-\tlargest prediction over the worst measured, %d series of lehoczky-3, overload and control; %d measured above their prediction\n", \
            most, most <= 1.5 && !above ? "yes" : "no", series, above
    }'
