#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# Fails when an include goes where tools/layers.allow does not let it, and when a folder's map, its README.md, leaves
# out a file of C: tools/layers.sh [TREE]
set -eu
tools=$(cd "$(dirname "$0")" && pwd)
cd "${1:-$tools/..}"
find wire probe kernel lab pico \( -name '*.[chS]' -o -name '*.inc' -o -name README.md \) | LC_ALL=C sort |
    awk -v allow=tools/layers.allow -f "$tools/layers.awk"
