#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# Builds the packages of one commit twice, in two folders, the second with another home of cargo's, and compares all files byte by byte.
set -eu
cd "$(dirname "$0")/.."
. tools/rust.sh
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
registry=${CARGO_HOME:-$HOME/.cargo}/registry

# build FOLDER CARGO_HOME: the committed state.
build() {
    git clone --quiet . "$1"
    mkdir -p "$2"
    [ -e "$2/registry" ] || ln -s "$registry" "$2/registry"
    (cd "$1" && CARGO_HOME=$2 nice tools/packages.sh >"$1/said" 2>&1) || { cat "$1/said"; exit 1; }
}

build "$scratch/one" "${CARGO_HOME:-$HOME/.cargo}"
build "$scratch/a/second/folder" "$scratch/cargo"
if diff -r "$scratch/one/target/packages" "$scratch/a/second/folder/target/packages"; then
    echo "PASS packages: two builds of $(git rev-parse --short HEAD) in two folders are the same, byte by byte"
else
    echo "FAIL packages: two builds of one commit differ"
    exit 1
fi
