#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# Runs every shipped scenario twice, once booted and once from its saved state, and compares the edges, byte for byte. The runs
# stay in target/lab/.
set -eu
cd "$(dirname "$0")/.."
backwall=target/release/backwall
rm -rf target/lab
# Groups repeat scenarios: only names with a file are taken.
names=$(for file in lab/scenarios/*.toml; do basename "$file" .toml; done)
for pass in first second; do
    fresh=$([ $pass = second ] || echo --fresh)
    # shellcheck disable=SC2086 # a list of names, and an option or none
    "$backwall" lab run $fresh $names --out "target/lab/$pass" >"target/lab-$pass.txt" || failed=$?
    mkdir -p target/lab && mv "target/lab-$pass.txt" "target/lab/$pass.txt"
done
sed -n '/^Latency and jitter/,$p' target/lab/first.txt
different=0
for name in $names; do
    if ! cmp -s "target/lab/first/$name/edges.bin" "target/lab/second/$name/edges.bin"; then
        echo "lab: $name: the two runs differ" >&2
        different=1
    fi
done
[ $different = 1 ] || echo "lab: two runs of each of $(echo "$names" | wc -l) scenarios: identical edges, byte for byte"
grep '^FAIL' target/lab/first.txt >&2 || true
# The page of a group, from the states that are there by now; its upper part as a picture for docs/lab.md.
"$backwall" lab run paper --quiet --out target/lab/paper || failed=$?
if browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome); then
    "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=1400,2330 \
        --screenshot=target/lab/paper.png "file://$PWD/target/lab/paper/report.html" 2>/dev/null ||
        echo "SKIP picture of the page: $browser fails on it"
    echo "lab: the page of the paper's bench: target/lab/paper/report.html, its picture, where there is one, target/lab/paper.png"
else
    echo "SKIP picture of the page: no browser is installed"
fi
[ $different = 0 ] && exit "${failed:-0}"
