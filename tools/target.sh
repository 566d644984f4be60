# SPDX-License-Identifier: MIT OR Apache-2.0
# Sourced, after tools/rust.sh: what Cargo must know to build one static file for a machine, this one's kind or another.
# target_for MACHINE sets triple, objcopy and run (which starts such a program here), and exports what the linker needs.

# musl where Rust's library for it is installed, else glibc: both make a file that needs no other. Debian's Rust has no musl, and
# Rust's releases have none for riscv64.
target_for() {
    triple=$1-unknown-linux-musl
    libraries="$(rustc --print sysroot)/lib/rustlib"
    case $1 in riscv64) rust=riscv64gc ;; *) rust=$1 ;; esac
    if [ ! -d "$libraries/$triple" ]; then
        triple=$rust-unknown-linux-gnu
        [ "$1" = riscv64 ] || echo "target: Rust's library for $1-unknown-linux-musl is not here (rustup target add $1-unknown-linux-musl): linked with glibc instead" >&2
        export RUSTFLAGS="${RUSTFLAGS:-} -C target-feature=+crt-static"
    fi
    # Relocations packed, a bit for most instead of 24 bytes, which the musl of Rust 1.93 and newer reads at the start.
    case "$triple $(printf '1.93.0\n%s\n' "$(rustc --version | cut -d' ' -f2)" | sort -V | head -n 1)" in
    *musl\ 1.93.0) export RUSTFLAGS="${RUSTFLAGS:-} -C link-arg=-zpack-relative-relocs" ;;
    esac
    objcopy=objcopy run= variable=CARGO_TARGET_$(echo "$triple" | tr 'a-z-' 'A-Z_')_LINKER
    # Rust's own linker, which keeps one of all functions of the same bytes.
    case "$triple" in *musl) export "$variable=rust-lld" RUSTFLAGS="${RUSTFLAGS:-} -C link-arg=--icf=all" ;; esac
    [ "$1" != "$(uname -m)" ] || return 0
    # Of another machine: its linker and its binary tools; crates/carry finds its compiler.
    [ -d "$libraries/$triple" ] || { echo "target: Rust has no library for $1 here: rustup target add $triple" >&2; return 4; }
    case "$triple" in *gnu) export "$variable=$1-linux-gnu-gcc" ;; esac
    objcopy=$1-linux-gnu-objcopy run=qemu-$1-static
    command -v "$objcopy" >/dev/null || {
        echo "target: $objcopy is not on PATH: apt-get install gcc-$1-linux-gnu libc6-dev-$(debian_of "$1")-cross" >&2
        return 4
    }
}

# Debian's name of a machine.
debian_of() {
    case "$1" in
    x86_64) echo amd64 ;;
    aarch64) echo arm64 ;;
    *) echo "$1" ;;
    esac
}
