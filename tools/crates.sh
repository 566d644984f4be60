#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# Each crate that others can use, which is one with a README of its own: it builds alone, its documentation has no warning, it
# has an example of at most 40 lines, which the tests run, and both licences, and cargo can package it.
set -eu
cd "$(dirname "$0")/.."
. tools/rust.sh
EXAMPLE_LINES=40

fault() { echo "crates: $1" >&2 && exit 1; }

packages=
for readme in crates/*/README.md; do
    crate=${readme%/README.md}
    package=backwall-${crate#crates/}
    packages="$packages --package $package"
    for licence in LICENSE-MIT LICENSE-APACHE; do
        [ -s "$crate/$licence" ] || fault "$crate has no $licence"
    done
    examples=0
    for example in "$crate"/examples/*.rs; do
        [ -s "$example" ] || fault "$crate has no example"
        lines=$(wc -l <"$example")
        [ "$lines" -le $EXAMPLE_LINES ] || fault "$example has $lines lines: at most $EXAMPLE_LINES"
        grep -q '^#\[test\]' "$example" || fault "$example says nowhere what it finds"
        examples=$((examples + 1))
    done
    [ "$(grep -c '^test = true' "$crate/Cargo.toml")" -ge $examples ] || fault "$crate/Cargo.toml runs not every example as a test"
    cargo build --quiet --locked --package "$package"
done
# `make run` builds backwall alone and `make test` the workspace: with the same features, neither builds a crate again.
features() { cargo tree --locked --prefix none --edges "normal,no-proc-macro$1" --format '{p} {f}' $2 | sed 's/ (\*)//' | sort -u; }
features ,dev --workspace >target/features
apart=$(features '' '--package backwall' | comm -23 - target/features)
[ -z "$apart" ] || fault "the tests build these with more features; name them in cli/Cargo.toml: $apart"
RUSTDOCFLAGS='--deny warnings --deny missing_docs' cargo doc --quiet --locked --no-deps $packages
# What they need of each other is found in the workspace since cargo 1.90; before, only in a registry that has them.
minor=$(cargo --version | sed 's/^cargo 1\.\([0-9]*\).*/\1/')
if [ "$minor" -ge 90 ]; then
    cargo package --quiet --locked --offline --no-verify --allow-dirty --workspace --exclude backwall --exclude backwall-lab-cli --exclude backwall-fuzz
else
    echo "SKIP crates packaged: cargo 1.90 packages crates that no registry has, this is $(cargo --version)"
fi
