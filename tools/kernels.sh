#!/bin/bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# The table of docs/evidence/kernels.md: carries contrib/kernels out and prints it. With --check it is held against the document, row by row.
#
#   tools/kernels.sh [--check] [CAMPAIGN]     CAMPAIGN: its folder, target/kernels without; what is done there already is not done again
set -euo pipefail
cd "$(dirname "$0")/.."
check=no
[ "${1:-}" != --check ] || { check=yes && shift; }
campaign=${1:-target/kernels}
tool=${BACKWALL:-$PWD/target/release/backwall}
document=docs/evidence/kernels.md

planned() {
    campaign=$(realpath -m "$campaign")
    [ -d "$campaign" ] || (cd contrib/kernels && "$tool" lab batch plan kernels.toml --output "$campaign" --quiet)
}
# Debian takes old releases out of its lists; the document keeps its figures.
planned || { status=$? && [ $check = yes ] && [ $status = 4 ] && echo "SKIP kernels: a kernel of the table cannot be had any more" && exit 0 || exit $status; }
"$tool" lab batch run "$campaign" --quiet
"$tool" lab batch merge "$campaign" --quiet

# row KERNEL: the median and the largest response of IST and APP, without load and with Polygons, in instructions.
row() {
    local kernel=$1 scenario
    for scenario in plain polygons; do
        "$tool" export csv "$campaign/merged/$scenario-on-$kernel"
    done | awk -F, -v kernel="$kernel" '
        # The columns by their names: a later version may add one.
        $1 == "name" { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $1 == "ist" || $1 == "app" { cells = cells " | " grouped($at["q0.5"]) " | " grouped($at["max"]) }
        function grouped(number) { return number < 1000 ? number : grouped(int(number / 1000)) sprintf(",%03d", number % 1000) }
        END {
            split(kernel, part, "-"); sub(/^[^-]*-/, "", kernel)
            print "| " kernel (part[1] == "rt" ? " PREEMPT_RT" : " stock") cells " |"
        }'
}

sed -n 's/^ *"linux:\(.*\)",$/\1/p' contrib/kernels/kernels.toml | while read -r kernel; do row "$kernel"; done >"$campaign/table.md"
if [ $check = no ]; then
    cat "$campaign/table.md"
elif ! diff <(grep '^| 6\.' $document) "$campaign/table.md"; then
    echo "kernels: $document has other figures (<) than came (>)" >&2
    exit 1
else
    echo "kernels: all $(wc -l <"$campaign/table.md") rows of $document came again"
fi
