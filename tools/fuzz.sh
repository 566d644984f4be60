#!/bin/bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# Hostile inputs at length, guided by coverage: tools/fuzz.sh [TARGET] [SECONDS]
# Every target of fuzz/, or one, for so many seconds (60), with libFuzzer; prints how many inputs each has had. The stable
# compiler counts the coverage: its own passes, named by its options, and no sanitizer. What is found lies in target/fuzz/found.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/rust.sh
wanted=${1:-all} seconds=${2:-60}
case $seconds in *[!0-9]* | '') echo "tools/fuzz.sh: $seconds is no number of seconds" >&2 && exit 2 ;; esac
machine=$(rustc -vV | sed -n 's/^host: //p')
corpus=target/fuzz/corpus found=target/fuzz/found
mkdir -p "$corpus" "$found"
# With a machine named, the options are those of the program alone and not of what builds it.
RUSTFLAGS="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares -Cdebug-assertions -Coverflow-checks" \
    cargo build --quiet --release --locked --package backwall-fuzz --features engine --examples --target "$machine" --target-dir target/fuzz
programs=target/fuzz/$machine/release/examples
names=$("$programs/seeds" "$corpus")
if [ "$wanted" != all ]; then
    grep -qx -- "$wanted" <<<"$names" || { echo "tools/fuzz.sh: no target $wanted; there are:" $names >&2 && exit 2; }
    names=$wanted
fi
failed=0
for name in $names; do
    log=target/fuzz/$name.log
    if BACKWALL_FUZZ=$name "$programs/fuzz" -seed=1 -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -max_len=65536 \
        -artifact_prefix="$found/$name-" "$corpus/$name" >"$log" 2>&1; then
        told=$(sed -n 's/^Done \([0-9]*\) runs in .*/\1 inputs/p' "$log")
    else
        told="$(sed -n 's/^stat::number_of_executed_units: *\([0-9]*\)/\1 inputs/p' "$log") and a finding: $(ls -t "$found" | grep "^$name-" | head -n 1)"
        tail -n 25 "$log"
        failed=1
    fi
    covered=$(sed -n 's/^#.* cov: \([0-9]*\) .*corp: \([0-9]*\).*/\1 edges covered, \2 inputs kept/p' "$log" | tail -n 1)
    echo "fuzz $name: ${told:-nothing was tried}; $covered"
done
exit $failed
