#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# What takes too long for `make test`: the same tests with many more seeds and instants. An hour or more.
set -eu
cd "$(dirname "$0")/.."
nice make -C kernel soak OUT="$PWD/target/kernel"
# Each cause of a late response, injected so often on each processor, is named each time.
(. tools/rust.sh && BACKWALL_TRIALS=${BACKWALL_TRIALS:-100} nice cargo test --locked --test trace_live -- --test-threads=1)
echo "soak: all done"
