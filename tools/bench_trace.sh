#!/bin/bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# Speed of reading the kernel's trace, one tab-separated line a figure: name value unit goal met peer peer_value conditions.
# trace-cmd reads the very records, which the bench writes as trace.dat, and prints each; its rate is of user time, start of the program included.
set -eu
cd "$(dirname "$0")/.."
. tools/rust.sh
out=$PWD/target/bench/trace
mkdir -p "$out"
cargo bench --quiet --locked --bench trace -- "$out/trace.dat" >"$out/figures"
cat "$out/figures"

# used COMMAND...: its processor time in user mode, in seconds; what it prints goes to a file.
used() {
    local TIMEFORMAT=%U
    { time "$@" >"$out/printed" 2>"$out/say"; } 2>&1
}

if command -v trace-cmd >/dev/null; then
    seconds=$(used trace-cmd report -i "$out/trace.dat")
    awk -F '\t' -v OFS='\t' -v name="trace-cmd report" -v used="$seconds" -v events="$(grep -c '\[[0-9]*\] ' "$out/printed")" '
        $1 == "trace digest" || $1 == "track account and blame" {
            rate = used > 0 ? sprintf("%.2f", events / used / 1e6) : "-"
            print $1 " beside " name, $2, $3, "-", "-", name, rate, events " events in " used " s; the same records; it prints every event and joins none"
        }' "$out/figures"
else
    echo "bench: no trace-cmd: tools/install.sh bench" >&2
fi
if command -v babeltrace2 >/dev/null; then
    # The goal is the peer's rate in this run.
    seconds=$(used babeltrace2 "$out/trace.ctf" -c sink.utils.dummy)
    awk -F '\t' -v OFS='\t' -v used="$seconds" '$1 == "ctf read" {
        split($8, word, " ")
        rate = used > 0 ? word[1] / used / 1e6 : 0
        print "ctf read beside babeltrace2", $2, $3, sprintf(">= %.2f", rate), ($2 >= rate ? "yes" : "no"), "babeltrace2", sprintf("%.2f", rate), word[1] " events in " used " s; the same folder, its events decoded and dropped"
    }' "$out/figures"
else
    echo "bench: no babeltrace2: tools/install.sh bench" >&2
fi
