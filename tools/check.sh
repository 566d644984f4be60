#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# Format, lint as error, layers.
set -eu
cd "$(dirname "$0")/.."
. tools/rust.sh
tools/layers.sh
cargo fmt --check
tools/format.sh check
cargo clippy --locked --all-targets -- -D warnings
