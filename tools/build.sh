#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# Builds target/release/backwall and backwall-lab, each one file that can be copied, and beside it its debug symbols in
# NAME.debug. With both in one folder, a backtrace names lines; without the second, the program does the same.
# tools/build.sh [OPTIONS OF CARGO]: `--package backwall` builds the first alone, without emulator, guests and their compilers.
set -eu
cd "$(dirname "$0")/.."
. tools/rust.sh
builder_is_nobody
cargo build --release --locked "$@"
cd target/release
# Cargo keeps a whole copy, which takes this one's place again at its next build; without a build this one is done already.
for program in backwall backwall-lab; do
    [ -f $program ] && objdump -h $program | grep -q '\.debug_line' || continue
    objcopy --only-keep-debug $program $program.debug
    objcopy --strip-all --add-gnu-debuglink=$program.debug $program $program.stripped
    mv $program.stripped $program
done
