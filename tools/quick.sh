#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# The quick part of the checks, for every commit that reaches main.
set -eu
cd "$(dirname "$0")/.."
. tools/rust.sh
tools/layers.sh
cargo fmt --check
cargo check --quiet --all-targets
