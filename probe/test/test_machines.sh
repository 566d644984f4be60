#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# test_machines.sh OUT: the probe compiled for other architectures, as strictly as for this one, and run in user-mode emulation: it
# lists what the probe of this machine lists, and the fake port writes the same stream. Nothing is measured there.
set -u
out=$1
failures=0

fail() {
    echo "FAIL probe for $1: $2" >&2
    failures=$((failures + 1))
}

# machine ARCHITECTURE
machine() {
    compiler=$1-linux-gnu-gcc
    emulator=qemu-$1-static
    for program in "$compiler" "$emulator"; do
        command -v "$program" >/dev/null || { echo "SKIP probe for $1: $program is not installed"; return; }
    done
    make -s CC="$compiler -static" OUT="$out/$1" "$out/$1/probe" "$out/$1/probe-fake" || { fail "$1" "it does not compile"; return; }
    "$out/probe" list >"$out/$1/list.here"
    "$emulator" "$out/$1/probe" list >"$out/$1/list" || fail "$1" "list: exit code $?"
    cmp "$out/$1/list.here" "$out/$1/list" || fail "$1" "another list"
    "$out/probe-fake" measure wakeup --count 40000 >"$out/$1/stream.here"
    "$emulator" "$out/$1/probe-fake" measure wakeup --count 40000 >"$out/$1/stream"
    [ -s "$out/$1/stream" ] && cmp "$out/$1/stream.here" "$out/$1/stream" || fail "$1" "another stream"
    [ $failures != 0 ] || echo "PASS probe for $1: compiled without a warning, the same list and stream in emulation"
}

machine aarch64
machine riscv64
exit $((failures > 0))
