#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# Builds the tool and the probe for another machine, each one static file: target/cross/MACHINE/backwall and probe.
# tools/cross.sh aarch64|riscv64|x86_64; tools/cross.sh --probe MACHINE builds the probe alone, which takes seconds.
set -eu
cd "$(dirname "$0")/.."
. tools/rust.sh
. tools/target.sh
alone=
[ "${1:-}" != --probe ] || { alone=1 && shift; }
machine=${1:-}
case "$machine" in
x86_64 | aarch64 | riscv64) ;;
*)
    echo "cross: want x86_64, aarch64 or riscv64, not \"$machine\": tools/cross.sh aarch64" >&2
    exit 2
    ;;
esac
out=$PWD/target/cross/$machine
compiler=$machine-linux-gnu-gcc
command -v "$compiler" >/dev/null || {
    echo "cross: $compiler is not on PATH: apt-get install gcc-$(echo "$machine" | tr _ -)-linux-gnu libc6-dev-$(debian_of "$machine")-cross" >&2
    exit 4
}
make -s -C probe CC="$compiler" OUT="$out/parts" "$out/parts/probe"
cp "$out/parts/probe" "$out/probe"
[ -z "$alone" ] || exit 0
builder_is_nobody
target_for "$machine" || exit $?
cargo build --release --locked --package backwall --target "$triple"
"$objcopy" --strip-all "target/$triple/release/backwall" "$out/backwall"
# A file of the wrong kind, or one that carries another machine's probe, shows here.
$run "$out/backwall" --version
file=$(wc -c <"$out/backwall")
echo "cross: $out/backwall, $file bytes, and $out/probe"
