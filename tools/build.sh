#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# Builds target/release/backwall, one file that can be copied, and beside it its debug symbols in backwall.debug. With both
# in one folder, a backtrace names lines; without the second, the tool does the same.
set -eu
cd "$(dirname "$0")/.."
. tools/rust.sh
builder_is_nobody
cargo build --release --locked "$@"
cd target/release
# Cargo keeps a whole copy, which takes this one's place again at its next build; without a build this one is done already.
objdump -h backwall | grep -q '\.debug_line' || exit 0
objcopy --only-keep-debug backwall backwall.debug
objcopy --strip-all --add-gnu-debuglink=backwall.debug backwall backwall.stripped
mv backwall.stripped backwall
