#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# tools/lab_figures.sh FOLDER: holds the tables of docs/evidence/lab.md and docs/evidence/architectures.md that begin with `| scenario | line |` against the runs of those scenarios in
# FOLDER. Another kernel or QEMU than the documented one executes other instructions: then what came is told, and is no error. Rows
# whose scenario has no run there are counted.
set -eu
cd "$(dirname "$0")/.."
folder=$1
backwall=${BACKWALL:-target/release/backwall}
rows=$(mktemp)
trap 'rm -f "$rows"' EXIT
sed -n '/^| scenario | line |/,/^$/p' docs/evidence/lab.md docs/evidence/architectures.md | sed -n 's/^| `\(.*\)`/\1/p' | tr -d ' ,' >"$rows"
[ -s "$rows" ] || { echo "lab_figures: docs/evidence/lab.md has no table of scenarios and lines" >&2 && exit 2; }
qemu=$(sed -n 's/^Figures of such tables are of QEMU \([^ ,]*\),.*/\1/p' docs/evidence/lab.md)
[ -n "$qemu" ] || { echo "lab_figures: docs/evidence/lab.md does not say which QEMU" >&2 && exit 2; }

same=0 other=0 absent=0
while IFS='|' read -r scenario line kernel least median late most _; do
    run=$folder/$scenario
    [ -f "$run/run.json" ] || { absent=$((absent + 1)) && continue; }
    came=$("$backwall" export csv "$run" | tr -d '\r' | awk -F, -v line="$line" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        NR > 1 && $at["name"] == tolower(line) { print $at["min"] "|" $at["q0.5"] "|" $at["q0.99"] "|" $at["max"] }')
    if [ "$came" = "$least|$median|$late|$most" ]; then
        same=$((same + 1))
    elif grep -q "\"kernel\": \".*$kernel" "$run/run.json" && grep -q "\"cpu\": \"QEMU.*$qemu" "$run/run.json"; then
        echo "lab_figures: documented is $least|$median|$late|$most of $scenario, $line; $came came" >&2
        other=$((other + 1))
    else
        echo "lab_figures: of another kernel or QEMU than the documented: $scenario, $line: $came"
    fi
done <"$rows"
echo "lab_figures: $same rows as documented, $other otherwise, $absent without a run"
[ $other = 0 ]
