#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# What is told of answers to the instruction, and what it takes, one tab-separated line a figure: name value unit goal met peer
# peer_value conditions. With names of its parts those alone, as `entered`.
set -eu
cd "$(dirname "$0")/.."
. tools/rust.sh
exec cargo bench --quiet --locked --bench trail -- "$@"
