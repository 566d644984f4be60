#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# Installs what a goal needs on Debian: tools/install.sh run|test|bench|lab|check
# Says what it installs; uses sudo only where it is not root, and says for what.
set -eu

# One line per need: build for the tool itself, lab for the emulator, page for the browser tests, peers for bench, chip for the Pico's firmware.
BUILD="gcc libc6-dev make ca-certificates curl"
LAB="qemu-system-x86"
PAGE="chromium"
PEERS="rt-tests rt-app sigrok-cli trace-cmd linux-perf"
CHECKERS="clang libclang-rt-dev"

CHIP="gcc-arm-none-eabi" # builds the firmware of the Pico
# Runs the firmware in an emulator; where there is a node already, it is taken.
{ command -v node && command -v npm; } >/dev/null 2>&1 || CHIP="$CHIP nodejs npm"

FILES="btrfs-progs" # makes the file systems that `interfere` measures
ORACLES="babeltrace2 trace-cmd cpio grub-common grub-pc-bin xorriso mtools python3-venv" # programs of others that the tests hold ours against
PERFETTO="perfetto==0.16.0" # reads by its own schema what is exported for its viewer; Debian has none

case "${1:-}" in
run) packages="$BUILD" ;;
test) packages="$BUILD $LAB $PAGE $CHECKERS $CHIP $FILES $ORACLES" ;;
bench) packages="$BUILD $LAB $PEERS" ;;
lab) packages="$BUILD $LAB" ;;
check) packages="$BUILD $CHECKERS clang-format" ;;
*)
    echo "usage: tools/install.sh run|test|bench|lab|check" >&2
    exit 2
    ;;
esac

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else
        echo "install: sudo for: $*"
        sudo "$@"
    fi
}

missing=""
for package in $packages; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q "ok installed" || missing="$missing $package"
done

if [ -n "$missing" ]; then
    echo "install: Debian packages:$missing"
    as_root apt-get update -q
    # shellcheck disable=SC2086 # a list of names
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing
fi

. "$(dirname "$0")/rust.sh"

debian_rust() {
    echo "install: $1, from Debian's security archive"
    shift
    as_root apt-get update -q
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@"
}

rust_is_new_enough || debian_rust "Rust 1.85 or newer" rustc-web cargo-web
if [ "$1" = check ] && ! { cargo fmt --version && cargo clippy --version; } >/dev/null 2>&1; then
    debian_rust "format and lint" rustfmt-web rust-web-clippy
fi

# In a folder of the project's own; a test that lacks it is reported as skipped.
if [ "$1" = test ]; then
    oracles=$(dirname "$0")/../target/oracles
    if ! "$oracles/bin/python3" -c 'import perfetto' 2>/dev/null; then
        echo "install: $PERFETTO, from Python's package index, in target/oracles"
        { python3 -m venv "$oracles" && "$oracles/bin/pip" install -q --disable-pip-version-check "$PERFETTO"; } ||
            echo "install: $PERFETTO cannot be installed: the test that needs it is skipped"
    fi
fi
