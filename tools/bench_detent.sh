#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# Detent's paths in executed instructions, one tab-separated line a figure: name value unit goal met peer
# peer_value conditions. The kernel measures itself in QEMU and says so on its serial line.
set -eu
cd "$(dirname "$0")/.."
out=target/kernel
make -s -C kernel OUT="$PWD/$out"
# The exit code says whether every goal was met; a missed one is a result here.
make -s -C kernel OUT="$PWD/$out" run ARGS=figures >"$out/figures.log" 2>/dev/null || true
grep -q '^figures: ' "$out/figures.log" || {
    echo "bench: detent did not finish its figures; see $out/figures.log" >&2
    exit 1
}
tr -d '\r' <"$out/figures.log" | awk -v OFS='\t' '
    $1 == "figure" {
        goal = $5 > 0 ? "<= " $5 : "-"
        met = $5 == 0 ? "-" : $3 <= $5 ? "yes" : "no"
        peer = $7 > 0 ? "best of the RTOS peers, recorded" : "-"
        print "detent " $2, $3, "instructions", goal, met, peer, ($7 > 0 ? $7 : "-"), \
              "icount, raw, largest of " $11 ", least " $9 "; " $12
    }
    $1 == "SKIP" { print $0 > "/dev/stderr" }'
text=$(size -A "$out/detent.elf" | awk '$1 == ".text" { print $2 }')
printf 'detent text\t%s\tbytes\t<= 24576\t%s\t-\t-\tgcc -O2, core and x86\n' "$text" \
    "$([ "$text" -le 24576 ] && echo yes || echo no)"
