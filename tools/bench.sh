#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# Runs every bench, or those named, prints one line a figure and writes target/bench.json: tools/bench.sh [NAME...]
#
# A bench is a program of cargo bench or a script tools/bench_NAME.sh. It prints a figure a line, fields separated by tabs:
#   name  value  unit  goal  met (yes, no or -)  peer  peer_value  conditions
# Empty fields are "-". Anything else goes to standard error. A missed goal is a result, not a failure.
set -eu
SECONDS_AT_MOST=480 # a bench that takes longer hangs, unless a script says BENCH_SECONDS=N in a line of its own
cd "$(dirname "$0")/.."
mkdir -p target/bench
. tools/rust.sh
builder_is_nobody # as tools/build.sh, with which the benches share what is compiled
PROGRAMS="chain compare coverage fleet forecast lab predicted recorder rules scope stats trail truth" # trace belongs to bench_trace.sh
scripts=$(ls tools/bench_*.sh | sed 's|.*/bench_||; s|\.sh$||')
names=${*:-$PROGRAMS $scripts}
# Building is no part of a figure's time. By name: without names cargo also compiles every library's unit tests for it.
# shellcheck disable=SC2046 # words
cargo bench --quiet --locked --no-run $(printf -- '--bench %s ' trace $PROGRAMS)
failed=0
: >target/bench/figures.tsv

# run NAME: its figures go to target/bench/one.tsv.
run() {
    case " $PROGRAMS " in
    *" $1 "*)
        limit=$SECONDS_AT_MOST
        case $1 in truth | predicted) limit=3600 ;; forecast | chain) limit=1800 ;; esac
        set -- "$1" "$([ "$1" = stats ] && echo "$PWD/target 100" || true)"
        # shellcheck disable=SC2086 # two words or none
        timeout "$limit" cargo bench --quiet --locked --bench "$1" -- $2
        ;;
    *)
        limit=$(sed -n 's/^BENCH_SECONDS=\([0-9]*\)$/\1/p' "tools/bench_$1.sh")
        timeout "${limit:-$SECONDS_AT_MOST}" "tools/bench_$1.sh"
        ;;
    esac >target/bench/one.tsv
}

for name in $names; do
    echo "bench: $name" >&2
    run "$name" || { echo "bench: $name failed; its figures up to there are kept" >&2 && failed=1; }
    tee -a target/bench/figures.tsv <target/bench/one.tsv | awk -F '\t' '{
        printf "%-44s %12s %-14s", $1, $2, $3
        if ($4 != "-") printf "  goal %-10s %s", $4, $5 == "yes" ? "met" : $5 == "no" ? "MISSED" : "no verdict"
        if ($6 != "-") printf "  (%s: %s)", $6, $7
        printf "  %s\n", $8
    }'
done
awk -F '\t' '
    function text(s) { gsub(/\\/, "\\\\", s); gsub(/"/, "\\\"", s); return s == "-" ? "null" : "\"" s "\"" }
    function number(s) { return s ~ /^-?[0-9]+(\.[0-9]+)?$/ ? s : text(s) }
    BEGIN { printf "[" }
    {
        printf "%s\n  {\"name\": %s, \"value\": %s, \"unit\": %s, \"goal\": %s, \"met\": %s, \"peer\": %s, \"peer_value\": %s, \"conditions\": %s}", \
            (NR > 1 ? "," : ""), text($1), number($2), text($3), text($4), \
            ($5 == "yes" ? "true" : $5 == "no" ? "false" : "null"), text($6), number($7), text($8)
    }
    END { print "\n]" }' target/bench/figures.tsv >target/bench.json
echo "bench: target/bench.json" >&2
exit $failed
