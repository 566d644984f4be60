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

# Depend on no clock of this machine, and use one core: the first run while the host's tests are built, the others while the
# first still run.
kernel_tests() {
    make -C kernel test OUT="$PWD/target/kernel" && make -C probe test-builds OUT="$PWD/target/probe"
}

emulated_tests() {
    for part in lab/instrument lab/guests/detent pico; do
        make -C "$part" test OUT="$PWD/target/$part" || return
    done
}

# What measures this machine runs after both, alone. `set -e` does not hold in here (the caller asks for the status), so
# each command says what follows from its failure.
every_test() {
    tools/layers.sh && tools/test_layers.sh || return
    kernel_tests >target/test-kernel.log 2>&1 &
    kernel=$!
    cargo test --locked --no-run && emulated_tests
    ours=$?
    wait "$kernel"
    kernels=$?
    cat target/test-kernel.log
    [ "$ours" = 0 ] && [ "$kernels" = 0 ] || return 1
    make -C probe test OUT="$PWD/target/probe"
    probes=$?
    cargo test --locked --no-fail-fast && [ "$probes" = 0 ]
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
