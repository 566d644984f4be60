#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# The second stage of continuous integration, after `make test`: Detent under every setting, on every processor and controller and by both
# compilers, Debian's kernels for arm64 and riscv64 in the lab, each test with `#[ignore = "make long"]`, and properties with all their cases.
set -eu; export PROPTEST_RNG_SEED="${PROPTEST_RNG_SEED:-2026}" # where a change fails and not luck
cd "$(dirname "$0")/.."
. tools/rust.sh
cargo build --locked --workspace --bins
failed=0
# ignored PROGRAM THREADS
ignored() { cargo test --locked --workspace --no-fail-fast --test "$1" -- --ignored --test-threads="$2" || failed=1; }
{ make -C kernel test LONG=yes OUT="$PWD/target/kernel" && make -C lab/guests/detent test LONG=yes OUT="$PWD/target/lab/guests/detent"; } & kernel=$!
BACKWALL_LONG=1 cargo test --locked --workspace --test lab_linux || failed=1
for program in pure emulated waiting; do ignored $program "$(nproc)"; done
cargo test --locked --workspace --no-fail-fast --lib || failed=1
wait $kernel || failed=1
ignored machine 1 # alone
exit $failed
