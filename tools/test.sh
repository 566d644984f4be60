#!/bin/bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# Every test, as a schedule of steps: what runs beside what, and at the end what was skipped, what took longest, and the sum.
# A test that this machine cannot do prints "SKIP name: reason"; the last lines repeat each and count it as skipped, not as passed.
#
#   layers
#   build of the host's tests  ||  C: kernel, probe's builds, instrument, Detent's guests, Pico: no clock of this machine
#   unit, crates, pure, lab_linux  ||  then emulated, guest     ||  waiting, of which many wait at once
#   probe, machine: what measures this machine, alone and one at a time
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/rust.sh
logs=target/test
rm -rf $logs && mkdir -p $logs && touch $logs/threads
# The tests have a cache of their own (.cargo/config.toml). Kernels that the user's lab has fetched are not fetched again.
fetched=$HOME/.cache/backwall/linux
if [ -z "${XDG_CACHE_HOME:-}" ] && [ -d "$fetched" ] && [ ! -d target/cache/backwall/linux ]; then
    mkdir -p target/cache/backwall && cp -r --reflink=auto "$fetched" target/cache/backwall/
fi
processors=$(nproc)
half=$(((processors + 1) / 2)) waiting=$((4 * processors))
export PROPTEST_CASES=${PROPTEST_CASES:-64} PROPTEST_RNG_SEED=${PROPTEST_RNG_SEED:-2002} # make long: 256 of another seed

# step NAME COMMAND...: into a log of its own, each line with the time at which it came; then printed as a whole.
step() {
    local name=$1 status=0 TIMEFORMAT="STEP $1: %R s, of the processors %U s and the kernel's %S s"
    shift
    echo "STEP $name begins"
    { time "$@" 2>&1; } 2>&1 | while IFS= read -r line || [ -n "$line" ]; do
        printf '%s %s\n' "${EPOCHREALTIME/,/.}" "$line"
    done >"$logs/$name.log" || status=$?
    [ $status = 0 ] || echo "$EPOCHREALTIME FAILED STEP $name: exit code $status" >>"$logs/$name.log"
    sed 's/^[0-9.]* //' "$logs/$name.log"
    return $status
}

# tests NAME THREADS WHICH...: programs of the tests, each with so many threads. Always of the whole workspace: with fewer
# packages cargo would choose other features of the crates and build them once more.
tests() {
    local name=$1 threads=$2
    shift 2
    echo "$name $threads" >>$logs/threads
    step "$name" cargo test --locked --workspace --no-fail-fast "$@" -- --test-threads="$threads"
}

# Anyone who adds a program of tests gives it a place in this schedule.
PROGRAMS="emulated guest lab_linux machine pure waiting" # of cli/tests and lab/cli/tests
all_programs_have_a_place() {
    local found
    found=$(for path in cli/tests/*.rs cli/tests/*/main.rs lab/cli/tests/*.rs lab/cli/tests/*/main.rs; do
        [ -e "$path" ] || continue
        path=${path%/main.rs} && path=${path##*/} && echo "${path%.rs}"
    done | sort | xargs)
    [ "$found" = "$PROGRAMS" ] || { echo "tools/test.sh: the programs of cli/tests and lab/cli/tests are $found; the schedule has $PROGRAMS" && return 1; }
}

# Each of these says what follows from a failure of its steps: `set -e` does not hold in a function whose status is asked for.
of_one_core() {
    local failed=0
    step kernel make -C kernel test OUT="$PWD/target/kernel" || failed=1
    step probe-builds make -C probe test-builds OUT="$PWD/target/probe" || failed=1
    step instrument make -C lab/instrument test OUT="$PWD/target/lab/instrument" || failed=1
    step guests make -C lab/guests/detent test OUT="$PWD/target/lab/guests/detent" || failed=1
    step pico make -C pico test OUT="$PWD/target/pico" || failed=1
    until [ -e $logs/built ]; do sleep 0.2; done
    [ "$(cat $logs/built)" = 0 ] || return 1
    tests emulated "$half" --test emulated || failed=1
    step guest cargo test --locked --workspace --test guest || failed=1
    return $failed
}

of_the_rest() {
    local failed=0
    tests unit "$processors" --lib || failed=1
    local of_crates=() path
    for path in crates/*/tests/*.rs crates/*/tests/*/main.rs fuzz/tests/*/main.rs; do
        [ -e "$path" ] && path=${path%/main.rs} && path=${path##*/} && of_crates+=(--test "${path%.rs}")
    done
    [ ${#of_crates[@]} = 0 ] || tests crates "$processors" "${of_crates[@]}" || failed=1
    tests pure "$processors" --test pure || failed=1
    # The other core is at its emulated tests for so long that this one would have nothing to do.
    step lab_linux cargo test --locked --workspace --test lab_linux || failed=1
    return $failed
}

alone() {
    local failed=0
    step probe make -C probe test OUT="$PWD/target/probe" || failed=1
    tests machine 1 --test machine || failed=1
    return $failed
}

every_test() {
    local failed=0
    all_programs_have_a_place && step layers tools/layers.sh && step layers-planted tools/test_layers.sh && step install tools/test_install.sh || return 1
    of_one_core &
    local one_core=$!
    step build cargo test --locked --workspace --no-run && echo 0 >$logs/built || echo 1 >$logs/built
    if [ "$(cat $logs/built)" = 0 ]; then
        tests waiting "$waiting" --test waiting &
        local waits=$!
        of_the_rest || failed=1
        wait $waits || failed=1
    else
        failed=1
    fi
    wait $one_core || failed=1
    # Whatever has failed, what measures this machine runs too.
    [ "$(cat $logs/built)" = 0 ] && alone || failed=1
    return $failed
}

slowest() {
    local name threads part
    while read -r name threads; do
        rm -f $logs/part-*
        awk -v part="$logs/part-" '/^[0-9.]+ running [0-9]+ test/ { number++ } { print >(part number + 0) }' "$logs/$name.log"
        for part in "$logs"/part-*; do
            LC_ALL=C sort -k3,3 "$part" >$logs/by-name
            awk -v threads="$threads" -f tools/slowest.awk $logs/by-name "$part" | sed "s/\t/\t$name: /"
        done
    done <$logs/threads | sort -rn | sed -n '1,20s/^\([0-9.]*\)\t/slow: \1 s  /p'
}

summary() {
    awk '
        # libtest prints "test name ... " before what the test writes past the capture
        match($0, /(^|\.\.\. )SKIP /) { skipped++; if (/\.\.\. SKIP/ || rust) beside++; print "not tested here: " substr($0, RSTART + RLENGTH) }
        # Of a requirement the tool says PASS 1 of 1, and FAIL with its text in quotes: those are of no test.
        /^PASS [^0-9]/ { passed++ }
        /^FAIL [^\047]/ { failed++; said = said "\n" $0 }
        /^test .*FAILED$/ || /^FAILED STEP / { said = said "\n" $0 }
        /^running [0-9]+ test/ { rust = 1 }
        /^test result:/ { rust = 0; passed += $4; failed += $6; later += $8 }
        /^STEP .* begins$/ { next }
        /^STEP / { steps = steps "\n" $0 }
        END { print substr(steps, 2) said; printf "tests: %d passed, %d failed, %d skipped, %d left for make long\n", passed - beside, failed, skipped, later }' "$1"
}

status=0
every_test || status=$?
echo "the twenty slowest tests, with seconds:"
slowest
sed -s 's/^[0-9.]* //' $logs/*.log >target/test.log
summary target/test.log
exit "$status"
