#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# emulated.sh OUT: tests the firmware in the emulator.
set -eu
out=$1
why=$("$(dirname "$0")/emulator.sh" "$out") || {
    status=$?
    [ "$status" = 3 ] || exit "$status"
    echo "SKIP pico_emulated: $why"
    exit 0
}
timeout 300 node "$out/emulator/test.mjs" "$out/backwall-pico.uf2"
