#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# Runs every shipped scenario twice, once booted and once from its saved state, and compares the edges, byte for byte; each run is
# read back: drawn again, exported, and compared with the other. The runs stay in target/lab/.
set -eu
cd "$(dirname "$0")/.."
backwall=target/release/backwall
rm -rf target/lab
# Groups repeat scenarios: only names with a file are taken.
names=$(for file in lab/scenarios/*.toml; do basename "$file" .toml; done)
# The heavy loads once more, on another machine: their runs are called by both.
moved="linux-stock-heavy linux-rt-heavy linux-stock-timers linux-rt-timers"
on=arm64-virt
for pass in first second; do
    fresh=$([ $pass = second ] || echo --fresh)
    # shellcheck disable=SC2086 # a list of names, and an option or none
    "$backwall" lab run $fresh $names --output "target/lab/$pass" >"target/lab-$pass.txt" || failed=$?
    # shellcheck disable=SC2086
    "$backwall" lab run $fresh --machine $on $moved --output "target/lab/$pass" >>"target/lab-$pass.txt" || failed=$?
    mkdir -p target/lab && mv "target/lab-$pass.txt" "target/lab/$pass.txt"
done
names="$names $(for name in $moved; do echo "$name-$on"; done)"
sed -n '/^Latency and jitter/,$p' target/lab/first.txt
different=0
for name in $names; do
    if ! cmp -s "target/lab/first/$name/edges.bin" "target/lab/second/$name/edges.bin"; then
        echo "lab: $name: the two runs differ" >&2
        different=1
    fi
done
# read_back WORD...: a requirement that failed, a difference, and what is undecided are answers.
read_back() {
    status=0
    "$backwall" "$@" --quiet >/dev/null 2>target/lab/said || status=$?
    case $status in 0 | 1 | 3) ;; *) echo "lab: $*: $(cat target/lab/said)" >&2 && different=1 ;; esac
}
for name in $names; do
    read_back report "target/lab/first/$name"
    read_back export csv "target/lab/first/$name" -o target/lab/figures.csv
    read_back compare "target/lab/first/$name" -- "target/lab/second/$name"
done
[ $different = 1 ] || echo "lab: two runs of each of $(echo "$names" | wc -l) scenarios: identical edges, byte for byte, and all read back"
grep '^FAIL' target/lab/first.txt >&2 || true
tools/lab_figures.sh target/lab/first || different=1
# The page of a group, from the states that are there by now.
"$backwall" lab run paper --quiet --output target/lab/paper || failed=$?
echo "lab: the page of the paper's bench: target/lab/paper/report.html"
[ $different = 0 ] && exit "${failed:-0}"
