# SPDX-License-Identifier: MIT OR Apache-2.0
# Sourced: puts a cargo that knows edition 2024 on PATH (rustup's, or Debian's cargo-web).
[ -f "$HOME/.cargo/env" ] && . "$HOME/.cargo/env"
rust_is_new_enough() {
    command -v cargo >/dev/null 2>&1 || return 1
    rust_version=$(cargo --version | cut -d' ' -f2)
    [ "$(printf '%s\n1.85.0\n' "$rust_version" | sort -V | head -n 1)" = 1.85.0 ]
}
# For whatever builds a release, from the repository's folder: no folder of the builder's is in the program, so that two builds of one commit
# are the same bytes wherever they are made. Only there: cargo builds everything anew where the flags differ.
builder_is_nobody() {
    case "${RUSTFLAGS:-}" in *=backwall*) return ;; esac
    export RUSTFLAGS="--remap-path-prefix=$PWD=backwall --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}/registry/src=crates ${RUSTFLAGS:-}"
}
