#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# What takes too long for `make test`: the same tests with many more seeds and instants. An hour or more.
set -eu
cd "$(dirname "$0")/.."
tools/packages_twice.sh
nice make -C kernel soak OUT="$PWD/target/kernel"
nice make -C probe soak OUT="$PWD/target/probe"
# The arithmetic of figures, recordings and task sets as the compiler for arm64 makes it.
# An emulated instruction takes some thirty of this machine's: fewer cases of each property than natively.
(
    . tools/rust.sh && . tools/target.sh && target_for aarch64 || exit 0
    export PROPTEST_CASES=16 "CARGO_TARGET_$(echo "$triple" | tr 'a-z-' 'A-Z_')_RUNNER=$run"
    nice cargo test --locked --lib --target "$triple" -p backwall-model -p backwall-stats -p backwall-wire -p backwall-trace -p backwall-capture \
        -p backwall-tasks -p backwall-judge
)
# The whole tool for another machine.
tools/cross.sh aarch64
# Causes are injected a hundred times, and a hundred recorders stand still: is what the tool says true?
(BACKWALL_TIMES=${BACKWALL_TIMES:-100} nice tools/bench.sh truth)
# Each cause of a late response, injected so often on each processor, is named each time.
(. tools/rust.sh && BACKWALL_TRIALS=${BACKWALL_TRIALS:-100} nice cargo test --locked --test machine trace_live:: -- --test-threads=1)
# A trial of the boot line is killed, gone on with, and decided by its unit after a real restart of an emulated Debian.
(. tools/rust.sh && cargo build --locked --release --package backwall && BACKWALL=target/release/backwall nice tools/tune_restart.sh)
# The tool is killed so often at random instants, and a run of an hour is watched for memory that grows.
(. tools/rust.sh && BACKWALL_KILLS=${BACKWALL_KILLS:-1000} nice cargo test --locked --test waiting checkpoints:: -- --test-threads=1)
# So is a trial of a setting, after which every setting is as it was.
(. tools/rust.sh && BACKWALL_KILLS=${BACKWALL_KILLS:-1000} nice cargo test --locked --test waiting tune:: -- --test-threads=1)
(. tools/rust.sh && BACKWALL_KILLS=${BACKWALL_KILLS:-1000} nice cargo test --locked --test waiting tune_kills:: -- --test-threads=1 --nocapture)
(. tools/rust.sh && BACKWALL_KILLS=${BACKWALL_KILLS:-1000} BACKWALL_KILLS_HERE=1 nice cargo test --locked --test waiting tune_kills::killed -- --nocapture)
(. tools/rust.sh && BACKWALL_TRIALS=${BACKWALL_TRIALS:-200} nice cargo test --locked --package backwall-tuning attempt::)
(. tools/rust.sh && BACKWALL_SOAK_S=${BACKWALL_SOAK_S:-3600} nice cargo test --locked --test waiting memory:: -- --test-threads=1)
# A thousand answers of three guests are entered again, each twice, and are the same.
(. tools/rust.sh && BACKWALL_ENTERED=${BACKWALL_ENTERED:-334} nice cargo bench --quiet --locked --bench trail -- entered)
# The table of kernels, as it is in its document.
(. tools/rust.sh && cargo build --locked --release --package backwall && nice tools/kernels.sh --check)
# Every test that asks the system for anything, and the others, in the rights of a container.
tools/without_rights.sh all
# Hostile inputs for each reader, guided by coverage; how many inputs each has had is printed.
nice tools/fuzz.sh all "${BACKWALL_FUZZ_S:-60}"
# The examples below each command's help measure this machine, where `make test` has a scripted probe.
(. tools/rust.sh && BACKWALL_EXAMPLES=measured nice cargo test --locked --test pure help::every_example)
# Responses seen whole on every kernel that the lab has fetched, in a guest with isolated processors.
kernels=$(ls "${XDG_CACHE_HOME:-$HOME/.cache}"/backwall/linux/*/boot/vmlinuz-* 2>/dev/null || true)
(. tools/rust.sh && BACKWALL_KERNELS=$(echo "$kernels" | tr '\n' ' ') nice cargo test --locked --test guest)
echo "soak: all done"
