#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# Which headers each part of the C code may include, and where assembly may stand: tools/layers.sh [TREE]
set -eu
cd "${1:-$(dirname "$0")/..}"
FREESTANDING='<(stdint|stdbool|stddef|stdarg|stdalign|stdatomic|limits)\.h>'
STRINGS="$FREESTANDING|<string\.h>"
failed=0

# only FOLDER MAY [WITHOUT]: files of FOLDER (without the subfolders whose path fits WITHOUT) include nothing but what fits MAY.
only() {
    wrong=$(find "$1" -name '*.[chS]' | grep -Ev "${3:-^$}" | xargs grep -HoE '^ *# *include *[<"][^>"]*[>"]' |
        sed -E 's/: *# *include */: /' | grep -Ev ": ($2)$" || true)
    [ -z "$wrong" ] || { echo "$wrong" | sed 's/^/layers: may not include: /' >&2 && failed=1; }
}

# The contracts depend on nothing, and the kernel on nothing of the probe, the lab and the contracts.
only wire "$STRINGS|\"(wire|set|connector|answer)\.h\""
only kernel/core "$FREESTANDING|\"core/.*\"|\"(detent|limits|oem|port)\.h\""
only kernel/x86 "$FREESTANDING|\"(core|x86|ports)/.*\"|\"(board|detent|limits|oem|port|machine)[a-z_]*\.h\"|\"frame\.inc\""
only kernel/arm64 "$FREESTANDING|\"(core|arm64|ports)/.*\"|\"(board|detent|limits|oem|port|machine)[a-z_]*\.h\"|\"frame\.inc\""
# A program of the kernel knows no machine, unless it is about one.
only kernel/programs "$FREESTANDING|\"(core|programs|process)/.*\"|\"(board|detent|limits|oem|port|goals)\.h\"" '/(pc|virt|boards|processes)/'
# What measures and what loads knows no operating system.
only probe/measure "$STRINGS|\"(\.\./(caches|measure|operation|plan|ring)\.h|\.\./port/(port|operations)\.h|handover\.h|\.\./\.\./wire/wire\.h)\""
only probe/load "$STRINGS|\"(\.\./(load|plan)\.h|\.\./port/port\.h|[a-z]*\.h)\""
# A guest's answers reach the instrument by pins alone.
only lab/instrument "<.*>|\"([a-z]*|\.\./machine/[a-z]*|\.\./\.\./wire/connector)\.h\"" '/test/'
only lab/guests/linux "<.*>|\"(\.\./bench/|[a-z_]*|\.\./\.\./\.\./(probe|wire)/).*\""

assembly=$(grep -lE '__asm__|\basm volatile' -r wire probe kernel lab pico --include='*.[ch]' |
    grep -Ev '/(x86|arm64|pc|virt)/|^wire/answer\.h|^kernel/user/programs/|^lab/guests/|^pico/' || true)
[ -z "$assembly" ] || { echo "$assembly" | sed 's/^/layers: no assembly here: /' >&2 && failed=1; }
exit $failed
