#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# emulator.sh OUT: builds the firmware, and prepares in OUT/emulator an emulator that runs it. If this machine lacks something, it
# prints one line about that on standard output and exits with 3.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=$1
cannot() {
    echo "$1"
    exit 3
}
command -v arm-none-eabi-gcc >/dev/null || cannot "no arm-none-eabi-gcc; apt-get install gcc-arm-none-eabi"
{ command -v node && command -v npm; } >/dev/null || cannot "no node and npm; apt-get install nodejs npm"
make -s -C "$here/.." OUT="$out" >&2
mkdir -p "$out/emulator"
cp "$here"/emulator/* "$out/emulator"
# The lock file has the digest of the package, so an installed package with the same lock file is the right one.
if ! cmp -s "$here/emulator/package-lock.json" "$out/emulator/node_modules/.lock"; then
    (cd "$out/emulator" && timeout 120 npm ci --ignore-scripts --no-audit --no-fund) >"$out/npm.log" 2>&1 ||
        cannot "the npm registry does not give rp2040js: $(grep -v warn "$out/npm.log" | head -n 1)"
    cp "$here/emulator/package-lock.json" "$out/emulator/node_modules/.lock"
fi
