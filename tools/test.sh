#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# Every test: layers, C parts with both compilers and sanitizers, the host tool.
set -eu
cd "$(dirname "$0")/.."
. tools/rust.sh
tools/layers.sh
for part in probe lab/instrument kernel; do
    [ ! -f "$part/Makefile" ] || make -C "$part" test OUT="$PWD/target/$part"
done
cargo test --locked
