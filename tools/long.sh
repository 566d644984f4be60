#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# The second stage of continuous integration, after `make test`: Detent under every setting, on every processor and controller and by both
# compilers, and Debian's kernels for arm64 and riscv64 in the lab.
set -eu
cd "$(dirname "$0")/.."
. tools/rust.sh
cargo build --locked --workspace --bins
make -C kernel test LONG=yes OUT="$PWD/target/kernel" &
kernel=$!
failed=0
BACKWALL_LONG=1 cargo test --locked --workspace --test lab_linux || failed=1
wait $kernel || failed=1
exit $failed
