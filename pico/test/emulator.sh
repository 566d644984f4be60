#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# emulator.sh OUT: the firmware and an emulator to run it in, in OUT/emulator. What this machine cannot do is stated in one
# line on standard output, with status 3.
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
# The lock names the package's bytes, so one that is there is the right one.
if ! cmp -s "$here/emulator/package-lock.json" "$out/emulator/node_modules/.lock"; then
    (cd "$out/emulator" && timeout 120 npm ci --ignore-scripts --no-audit --no-fund) >"$out/npm.log" 2>&1 ||
        cannot "the npm registry does not give rp2040js: $(grep -v warn "$out/npm.log" | head -n 1)"
    cp "$here/emulator/package-lock.json" "$out/emulator/node_modules/.lock"
fi
