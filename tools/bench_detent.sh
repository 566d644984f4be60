#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# Detent's paths in executed instructions, one tab-separated line a figure: name value unit goal met peer
# peer_value conditions. The kernel measures itself in QEMU and says so on its serial line; the instrument counts the
# heavy instructions among them.
set -eu
cd "$(dirname "$0")/.."
out=target/kernel
make -s -C kernel OUT="$PWD/$out"
make -s -C lab/instrument OUT="$PWD/target/instrument" all >&2
major=$(qemu-system-x86_64 --version | sed -n 's/.*version \([0-9]*\).*/\1/p')
plugin=target/instrument/instrument-v$([ "$major" -ge 9 ] && echo 2 || echo 1).so
# The exit code says whether every goal was met; a missed one is a result here.
make -s -C kernel OUT="$PWD/$out" run ARGS=figures MORE="-plugin $PWD/$plugin,edges=$PWD/$out/figures.edges,count=1" \
    >"$out/figures.log" 2>"$out/figures.err" || true
grep -q '^figures: ' "$out/figures.log" || {
    echo "bench: detent did not finish its figures; see $out/figures.log and .err" >&2
    exit 1
}
make -s -C kernel OUT="$PWD/$out" run ARGS=extremes >>"$out/figures.log" 2>>"$out/figures.err" || true
make -s -C kernel OUT="$PWD/$out" run-process ARGS=process_figures >>"$out/figures.log" 2>>"$out/figures.err" || true
for program in process_sweep "process_tables 16" "process_tables 16 held" "process_tables 512"; do
    make -s -C kernel OUT="$PWD/$out" run-process ARGS="$program" >>"$out/figures.log" 2>>"$out/figures.err" || true
done

# rows NAME LOG: a line for each figure in a log of the kernel's.
rows() {
    tr -d '\r' <"$2" | awk -v OFS='\t' -v kernel="$1" '
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

rows detent "$out/figures.log"
text=$(size -A "$out/detent.elf" | awk '$1 == ".text" { print $2 }')
bss=$(size -A "$out/detent.elf" | awk '$1 == ".bss" { print $2 }')
# bytes NAME VALUE GOAL CONDITIONS
bytes() { printf 'detent %s\t%s\tbytes\t<= %s\t%s\t-\t-\t%s\n' "$1" "$2" "$3" "$([ "$2" -le "$3" ] && echo yes || echo no)" "$4"; }
bytes text "$text" 28672 "gcc -O2, what no measured path goes through -Os; all of core and x86"
process=$(size -A "$out/detent-process.elf" | awk '$1 == ".process" { print $2 }')
bytes process-text "$process" 16384 "gcc -Os but for the table of calls and servers; all of the part that has processes, beside the text"
more=$(size -A "$out/detent-process.elf" | awk '$1 == ".process_more" { print $2 }')
bytes process-more-text "$more" 1536 "gcc -Os; what processes may use and how their memory is bounded, beside both"
bytes bss "$bss" 2097152 "all of the image"

# The same of arm64, where its compiler and emulator are.
command -v aarch64-linux-gnu-gcc >/dev/null && command -v qemu-system-aarch64 >/dev/null || {
    echo "SKIP detent-arm64: want gcc-aarch64-linux-gnu and qemu-system-arm" >&2
    exit 0
}
arm64=target/kernel-on-arm64
for program in figures extremes; do
    make -s -C kernel PORT=arm64 OUT="$PWD/$arm64" run ARGS=$program 2>>"$out/figures.err" || true
done >"$out/figures-arm64.log"
for program in process_figures process_sweep "process_tables 16" "process_tables 16 held" "process_tables 512"; do
    make -s -C kernel PORT=arm64 OUT="$PWD/$arm64" run-process ARGS="$program" >>"$out/figures-arm64.log" 2>>"$out/figures.err" || true
done
grep -q '^figures: ' "$out/figures-arm64.log" || {
    echo "bench: detent-arm64 did not finish its figures; see $out/figures-arm64.log and .err" >&2
    exit 1
}
rows detent-arm64 "$out/figures-arm64.log"
text=$(size -A "$arm64/detent-arm64.elf" | awk '$1 == ".text" { print $2 }')
bytes arm64-text "$text" 32768 "gcc -O2, what no measured path goes through -Os; all of core and arm64"
