#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# The law of the layers holds: in a copy of the tree, each kind of wrong import is refused, and so is a module without a line.
set -eu
cd "$(dirname "$0")/.."
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp -r wire probe kernel lab pico "$copy" 2>/dev/null
mkdir -p "$copy/tools"
cp tools/layers.allow "$copy/tools"
failed=0
planted=0

# refused FILE TEXT COMPLAINT: with TEXT at the top of FILE, the law must complain in those words.
refused() {
    planted=$((planted + 1))
    before="$copy/before"
    [ ! -e "$copy/$1" ] || cp "$copy/$1" "$before"
    mkdir -p "$(dirname "$copy/$1")"
    { printf '%b\n' "$2"; [ ! -e "$before" ] || cat "$before"; } >"$copy/$1"
    said=$(tools/layers.sh "$copy" 2>&1) && said="nothing"
    case "$said" in
    *"$3"*) ;;
    *)
        echo "layers: $1 with \"$2\" must be refused with \"$3\"; said: $said" >&2
        failed=1
        ;;
    esac
    if [ -e "$before" ]; then mv "$before" "$copy/$1"; else rm "$copy/$1"; fi
}

tools/layers.sh "$copy" || { echo "layers: the tree as it is must pass" >&2; exit 1; }

# A module without a line.
refused kernel/sparc/apic.c '' 'kernel/sparc/apic.c belongs to no module'
refused lab/guests/attic/main.c '' 'lab/guests/attic/main.c belongs to no module'
refused probe/attic/main.c '' 'probe/attic/main.c belongs to no module'
# Two files of C whose headers include nothing, and whose code goes in a circle.
refused kernel/programs/text.c '#include "programs/settings.h"' 'kernel/programs/text -> kernel/programs/settings'
refused lab/instrument/recording.c '#include "hold.h"' 'a circle: '
# C: the kernel and what is not its own, ports and the kernel's insides, the probe and systems, guests and guests.
refused kernel/core/locks.c '#include "../../wire/wire.h"' 'kernel/core may not use wire'
refused kernel/core/locks.c '#include "probe/plan.h"' 'kernel/core may not use probe/plan.h'
refused kernel/x86/tsc.c '#include "../../lab/guests/bench/bench.h"' 'kernel/x86 may not use lab/guests/bench'
refused kernel/core/locks.c '#include "x86/machine.h"' 'kernel/core may not use kernel/x86'
refused kernel/programs/polygons.c '#include "x86/machine.h"' 'kernel/programs may not use kernel/x86'
refused kernel/programs/crash.c 'void x(void) { __asm__ volatile("ud2"); }' 'kernel/programs has no +assembly'
refused kernel/core/locks.c 'void x(void) { __asm__ volatile("cli"); }' 'kernel/core has no +assembly'
refused kernel/core/locks.c '#include <stdio.h>' 'kernel/core has no +system'
refused probe/port/detent_load.c '#include "core/thread.h"' 'may not use kernel/core'
refused probe/port/linux_load.c '  #  include  "../../kernel/detent.h"' 'may not use kernel/detent.h'
refused probe/measure/wakeup.c '#include <unistd.h>' 'probe/measure has no +system'
refused probe/load/spin.c '#include <sys/mman.h>' 'probe/load has no +system'
refused wire/wire.h '#include "../probe/plan.h"' 'wire may not use probe/plan.h'
refused lab/guests/linux/main.c '#include "../detent/main.c"' 'lab/guests/linux may not use lab/guests/detent'
refused lab/instrument/scope.c '#include "../../wire/wire.h"' 'lab/instrument may not use wire'
refused lab/instrument/scope.h '#include "nowhere.h"' 'which is nowhere'
# A file that its folder's map leaves out.
refused kernel/core/attic.c '' 'kernel/core/README.md has no line for kernel/core/attic.c'
refused probe/load/attic.c '' 'probe/README.md has no line for probe/load/attic.c'
# The list itself.
refused tools/layers.allow '[]\nwire: probe/exit.h' 'may use only what stands above it'
refused tools/layers.allow '[]\nattic:' 'no file for attic'
refused tools/layers.allow 'wire' 'neither a [folder]'
refused tools/layers.allow '[]\nkernel/core/queue <-> kernel/core/irq' 'nor a circle with its reason'
refused tools/layers.allow '[]\nkernel/core/queue <-> kernel/core/print: they did once' 'no such circle: kernel/core/queue <-> kernel/core/print'

echo "layers: $planted wrong trees, each refused"
exit "$failed"
