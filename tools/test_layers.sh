#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# In a copy of the tree tools/layers.sh refuses each wrong include and each piece of assembly in the wrong place.
set -eu
cd "$(dirname "$0")/.."
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp -r wire probe kernel lab pico "$copy"
tools/layers.sh "$copy" || { echo "layers: the tree as it is must pass" >&2; exit 1; }
failed=0

# refused FILE TEXT: with TEXT at its end, FILE must be named.
refused() {
    cp "$copy/$1" "$copy/before"
    printf '%s\n' "$2" >>"$copy/$1"
    tools/layers.sh "$copy" 2>&1 | grep -q "$1" || { echo "layers: $1 with $2 must be refused" >&2 && failed=1; }
    mv "$copy/before" "$copy/$1"
}

refused kernel/core/locks.c '#include "../../wire/wire.h"'
refused kernel/core/locks.c '#include <stdio.h>'
refused kernel/core/locks.c 'void x(void) { __asm__ volatile("cli"); }'
refused probe/measure/wakeup.c 'void x(void) { __asm__ volatile("nop"); }'
refused wire/wire.h 'static inline void x(void) { __asm__ volatile("nop"); }'
refused kernel/programs/polygons.c '#include "x86/machine.h"'
refused probe/measure/wakeup.c '#include <unistd.h>'
refused probe/load/spin.c '#include "../../kernel/detent.h"'
refused lab/instrument/scope.c '#include "../../wire/wire.h"'
exit "$failed"
