#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# Whether what the tool says is true, one tab-separated line a figure: name value unit goal met peer peer_value conditions.
# BACKWALL_TIMES: injections of each kind.
BENCH_SECONDS=3600
set -eu
cd "$(dirname "$0")/.."
. tools/rust.sh
exec cargo bench --quiet --locked --bench truth -- "$@"
