#!/bin/bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# Every test: layers, C parts with both compilers and sanitizers, the host tool.
# A test that this machine cannot do prints "SKIP name: reason"; the last lines repeat each and count it as skipped, not as passed.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/rust.sh
# Built once: nothing is kept for a next build; and a failure names its place without debug information.
[ -z "${CI:-}" ] || export CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=false
mkdir -p target
log=target/test.log

# in_spare_time NAME COMMAND...: gets the time that nothing else wants (SCHED_IDLE); what it says is kept in a log.
in_spare_time() {
    log_of=target/test-$1.log
    shift
    chrt --idle --pid 0 "$BASHPID" || : # refused: then it takes its share
    "$@" >"$log_of" 2>&1
}

# Depend on no clock of this machine.
kernel_tests() {
    make -C kernel test OUT="$PWD/target/kernel"
}
guest_tests() {
    for part in lab/instrument lab/guests/detent pico; do
        make -C "$part" test OUT="$PWD/target/$part" || return
    done
}
probe_builds() {
    make -C probe test-builds OUT="$PWD/target/probe"
}

# What is emulated gets little time while the host's tests are built, and most of it while these wait. `set -e` does not hold in
# here (the caller asks for the status), so each command says what follows from its failure.
every_test() {
    tools/layers.sh && tools/test_layers.sh || return
    in_spare_time kernel kernel_tests &
    kernel=$!
    { in_spare_time probe probe_builds && in_spare_time guests guest_tests; } &
    guests=$!
    cargo test --locked --no-run && cargo test --locked --no-fail-fast
    ours=$?
    wait $guests
    theirs=$?
    make -C probe test OUT="$PWD/target/probe" || ours=1
    wait $kernel || theirs=1
    cat target/test-kernel.log target/test-probe.log target/test-guests.log
    [ "$ours" = 0 ] && [ "$theirs" = 0 ]
}

summary() {
    awk '
        # libtest prints "test name ... " before what the test writes past the capture
        match($0, /(^|\.\.\. )SKIP /) { skipped++; if (/\.\.\. SKIP/ || rust) beside++; print "not tested here: " substr($0, RSTART + RLENGTH) }
        /^PASS / { passed++ }
        /^running [0-9]+ test/ { rust = 1 }
        /^test result:/ { rust = 0; passed += $4; failed += $6; skipped += $8 }
        END { printf "tests: %d passed, %d failed, %d skipped\n", passed - beside, failed, skipped }' "$log"
}

status=0
every_test 2>&1 | tee "$log" || status=$?
summary
exit "$status"
