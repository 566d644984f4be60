#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# What takes too long for `make test`: the same tests with many more seeds and instants. An hour or more.
set -eu
cd "$(dirname "$0")/.."
nice make -C kernel soak OUT="$PWD/target/kernel"
echo "soak: all done"
