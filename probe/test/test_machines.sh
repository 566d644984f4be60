#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# test_machines.sh OUT: compiles the probe for other architectures, as strictly as for this one, and runs it in user-mode emulation. Its
# list must be the same as on this machine, the fake port must write the same stream, and all tests of the probe must pass that need no
# real clock. Nothing is measured in emulation.
set -u
out=$1
failures=0

fail() {
    echo "FAIL probe for $1: $2" >&2
    failures=$((failures + 1))
}

# tested ARCHITECTURE COMPILER EMULATOR: runs the tests. For each program there is a script that starts it in the emulator.
tested() {
    programs=$out/$1/tests
    make -s test-build CC="$2" SANITIZE="-O1 -static" BUILD="$programs" || { fail "$1" "the tests do not compile"; return; }
    mkdir -p "$programs/emulated"
    for program in "$programs"/*; do
        [ -f "$program" ] && [ -x "$program" ] || continue
        printf '#!/bin/sh\nexec %s "%s" "$@"\n' "$3" "$(realpath "$program")" >"$programs/emulated/${program##*/}"
    done
    chmod +x "$programs"/emulated/*
    for test in test_plan test_ring test_overhead test_wakeup test_polygons test_set; do
        "$programs/emulated/$test" >"$programs/$test.say" 2>&1 || fail "$1" "$test: $(tail -n 1 "$programs/$test.say")"
    done
    test/test_golden.sh "$programs/emulated" ../wire/golden/v2 >"$programs/golden.say" 2>&1 || fail "$1" "$(tail -n 1 "$programs/golden.say")"
    test/test_fake.sh "$programs/emulated" >"$programs/fake.say" 2>&1 || fail "$1" "$(grep ^FAIL "$programs/fake.say")"
}

# machine ARCHITECTURE: compiles and tests the probe for it.
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
    tested "$1" "$compiler" "$emulator"
    [ $failures != 0 ] || echo "PASS probe for $1: compiled without a warning, the same list and stream in emulation, and its tests"
}

machine aarch64
machine riscv64
exit $((failures > 0))
