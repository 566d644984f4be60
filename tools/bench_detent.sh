#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# Detent's paths in executed instructions, one tab-separated line a figure: name value unit goal met peer peer_value conditions.
# The kernel measures itself in QEMU and says so on its serial line; on x86 the instrument counts the heavy instructions among them.
set -eu
cd "$(dirname "$0")/.."
make -s -C lab/instrument OUT="$PWD/target/instrument" all >&2
major=$(qemu-system-x86_64 --version | sed -n 's/.*version \([0-9]*\).*/\1/p')
plugin=target/instrument/instrument-v$([ "$major" -ge 9 ] && echo 2 || echo 1).so

# rows NAME PORT OUT MORE: the figures of a port; the exit codes say whether every goal was met, and a missed one is a result here.
rows() {
    name=$1 port=$2 out=$PWD/$3 log=$3/figures.log
    make -s -C kernel PORT="$port" OUT="$out"
    kernel() { make -s -C kernel PORT="$port" OUT="$out" "$@" >>"$log" 2>>"$out/figures.err" || true; }
    : >"$log"
    kernel run ARGS=figures MORE="$4"
    kernel run ARGS=extremes
    for program in process_figures process_sweep "process_tables 16" "process_tables 16 held" "process_tables 512"; do
        kernel run-process ARGS="$program"
    done
    grep -q '^figures: ' "$log" || { echo "bench: $name did not finish its figures; see $log" >&2 && exit 1; }
    tr -d '\r' <"$log" | awk -v OFS='\t' -v kernel="$name" '
    $1 == "figure" {
        goal = $5 > 0 ? "<= " $5 : "-"
        met = $5 == 0 ? "-" : $3 <= $5 && $11 > 0 ? "yes" : "no"
        peer = $7 > 0 ? "best of the RTOS peers, recorded" : "-"
        more = $12
        for (i = 13; i <= NF; i++)
            more = more " " $i
        print kernel " " $2, $3, "instructions", goal, met, peer, ($7 > 0 ? $7 : "-"), \
              "icount, raw, largest of " $11 ", least " $9 "; " more
    }
    /NOT WHOLE/ { whole = 1; print "bench: detent: " $0 > "/dev/stderr" }
    $1 == "SKIP" { print $0 > "/dev/stderr" }
    END { exit whole }'
}

# bytes NAME SECTION FILE GOAL CONDITIONS: the size of a section.
bytes() {
    size -A "$3" | awk -v OFS='\t' -v name="detent $1" -v section="$2" -v goal="$4" -v conditions="$5" '$1 == section {
        print name, $2, "bytes", "<= " goal, ($2 <= goal ? "yes" : "no"), "-", "-", conditions }'
}

rows detent x86 target/kernel "-plugin $PWD/$plugin,edges=$PWD/target/kernel/figures.edges,count=1"
bytes text .text target/kernel/detent.elf 28672 "gcc -O2, what no measured path goes through -Os; all of core and x86"
bytes process-text .process target/kernel/detent-process.elf 16384 "gcc -Os but for the table of calls and servers; all of the part that has processes, beside the text"
bytes process-more-text .process_more target/kernel/detent-process.elf 1536 "gcc -Os; what processes may use and how their memory is bounded, beside both"
bytes bss .bss target/kernel/detent.elf 2097152 "all of the image"

command -v aarch64-linux-gnu-gcc >/dev/null && command -v qemu-system-aarch64 >/dev/null || {
    echo "SKIP detent-arm64: want gcc-aarch64-linux-gnu and qemu-system-arm" >&2
    exit 0
}
rows detent-arm64 arm64 target/kernel-on-arm64 ""
bytes arm64-text .text target/kernel-on-arm64/detent-arm64.elf 32768 "gcc -O2, what no measured path goes through -Os; all of core and arm64"
