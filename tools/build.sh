#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# Leaves target/release/backwall and backwall-lab, each one file that can be copied: tools/build.sh [quick | OPTIONS OF CARGO]
# Optimized, with its debug symbols beside it in NAME.debug: with both in one folder, a backtrace names lines.
# quick: backwall alone, as the tests are built, in a third of the time and from the same parts.
set -eu
cd "$(dirname "$0")/.."
. tools/rust.sh
# For --version; read by the two main.rs alone, so that another commit compiles nothing else.
BACKWALL_COMMIT=${BACKWALL_COMMIT-$(git log -1 --format='%h, %cs' 2>/dev/null || true)}
export BACKWALL_COMMIT
if [ "${1:-}" = quick ]; then
    cargo build --locked --package backwall
    mkdir -p target/release
    strip -o target/release/backwall target/debug/backwall
    exit
fi
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
