#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# The compiler holds the law of the crates: in a copy of the tree, a crate that names what its Cargo.toml does not is refused by
# cargo, and a module that reads a file, asks a clock, starts a program or prints, and does not say so at its head, by clippy.
set -eu
cd "$(dirname "$0")/.."
. tools/rust.sh
export CARGO_TARGET_DIR="$PWD/target"
copy=target/law
rm -rf "$copy"
mkdir -p "$copy/lab"
cp -a Cargo.toml Cargo.lock crates cli fuzz "$copy" # cli, fuzz and lab/cli because they are members; none of them is built
cp -a lab/cli "$copy/lab/"
failed=0 planted=0

# lint CRATE
lint() { cargo clippy --quiet --locked --manifest-path "$copy/Cargo.toml" -p "backwall-$1" -- -D warnings; }

# of CRATE: the crate below holds what follows; as it is it must pass.
of() {
    crate=$1
    root=$copy/crates/$1/src/lib.rs
    lint "$1" || { echo "crates: $1 as it is must pass" >&2; exit 1; }
}

# refused TEXT COMPLAINT: with TEXT at the end of the crate it must not build, for that reason.
refused() {
    planted=$((planted + 1))
    cp "$root" target/law-lib.rs
    printf '%s\n' "$1" >>"$root"
    said=$(lint "$crate" 2>&1) && said="nothing"
    cp target/law-lib.rs "$root"
    case "$said" in
    *"$2"*) ;;
    *)
        echo "crates: \"$1\" in $crate must be refused with \"$2\"; said: $said" >&2
        failed=1
        ;;
    esac
}

of model
# A crate has nothing that its Cargo.toml does not name (E0432, E0433: no such crate).
refused 'pub use backwall_runner::Stop;' 'error[E043'
# A module whose head does not say so reads no file, asks no clock and prints nothing.
refused 'pub fn x() -> Option<String> { std::fs::read_to_string("x").ok() }' 'disallowed method `std::fs::read_to_string`'
refused 'pub fn x() -> std::time::Instant { std::time::Instant::now() }' 'disallowed method `std::time::Instant::now`'
refused 'pub fn x() { println!(); }' 'disallowed macro `std::println`'
of report
refused 'pub use backwall_runner::Stop;' 'error[E043'
refused 'pub use anyhow::Context;' 'error[E043'
refused 'pub fn x() -> bool { std::process::Command::new("x").spawn().is_ok() }' 'disallowed type `std::process::Command`'
rm -rf "$copy" target/law-lib.rs
echo "crates: $planted wrong crates, each refused"
exit "$failed"
