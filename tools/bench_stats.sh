#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# Speed of the statistics, one tab-separated line a figure: name value unit goal met peer peer_value conditions.
# The file of 100 million samples (0.2 GB) stands in target/ while it is read.
set -eu
cd "$(dirname "$0")/.."
. tools/rust.sh
exec cargo bench --quiet --locked --bench stats -- "$PWD/target" "${1:-100}"
