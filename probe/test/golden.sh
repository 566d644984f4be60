#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# golden.sh BUILD DIR: writes the golden streams and their contents as text to DIR, with the programs in BUILD.
set -eu
build=$1
dir=$2

# stream NAME COMMAND...: writes the command's output to DIR/NAME.bin, and what the second reader reads from it to DIR/NAME.txt.
stream() {
    name=$1
    shift
    "$@" >"$dir/$name.bin"
    "$build/wire_dump" <"$dir/$name.bin" >"$dir/$name.txt"
}

stream wakeup_skip "$build/probe-fake" measure wakeup --count 520 --warmup 10
stream wakeup_queue "$build/probe-fake" measure wakeup --count 520 --overrun queue
stream load_spin "$build/probe-fake" load spin
stream forty_series "$build/probe-dummy" measure dummy --count 3 --warmup 1
stream every "$build/golden" every
stream unknown "$build/golden" unknown
