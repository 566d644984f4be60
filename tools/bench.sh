#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# Runs every tools/bench_*.sh, prints one line a figure and writes target/bench.json.
#
# A bench script prints a figure a line, fields separated by tabs:
#   name  value  unit  goal  met (yes, no or -)  peer  peer_value  conditions
# Empty fields are "-". What else it has to say goes to standard error. A missed goal is a result, not a failure.
set -eu
SCRIPT_SECONDS=480 # a script that takes longer hangs, unless it says how long it may take: BENCH_SECONDS=N in a line of its own
cd "$(dirname "$0")/.."
mkdir -p target/bench
. tools/rust.sh
builder_is_nobody # as tools/build.sh, with which the benches share what is compiled
cargo bench --quiet --locked --no-run # building is no part of a figure's time
failed=0
: >target/bench/figures.tsv
for script in tools/bench_*.sh; do
    echo "bench: $script" >&2
    limit=$(sed -n 's/^BENCH_SECONDS=\([0-9]*\)$/\1/p' "$script")
    if ! timeout "${limit:-$SCRIPT_SECONDS}" "$script" >target/bench/one.tsv; then
        echo "bench: $script failed; its figures up to there are kept" >&2
        failed=1
    fi
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
