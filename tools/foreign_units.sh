#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# The unit tests of the crates that ask no machine for anything, built for another machine and run in user-mode emulation:
# tools/foreign_units.sh aarch64|riscv64. What their tests start themselves would need the emulator registered with the kernel.
set -eu
cd "$(dirname "$0")/.."
. tools/rust.sh
. tools/target.sh
machine=${1:-}
case "$machine" in
aarch64 | riscv64) ;;
*)
    echo "foreign_units: want aarch64 or riscv64, not \"$machine\"" >&2
    exit 2
    ;;
esac
target_for "$machine" || { echo "SKIP unit tests for $machine: see above" && exit 0; }
command -v "$run" >/dev/null || { echo "SKIP unit tests for $machine: $run is not installed" && exit 0; }
# An emulated instruction takes some thirty of this machine's: fewer cases of each property than natively.
export PROPTEST_CASES="${PROPTEST_CASES:-16}"
export "CARGO_TARGET_$(echo "$triple" | tr 'a-z-' 'A-Z_')_RUNNER=$run"
packages=
for name in units run wire stats trace scope tasks judge predict; do packages="$packages --package backwall-$name"; done
# shellcheck disable=SC2086 # words
cargo test --locked --lib --target "$triple" $packages
