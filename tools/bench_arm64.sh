#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# The tool of tools/cross.sh aarch64, live in an emulated arm64 machine of two processors: rows as of tools/bench_guests.sh.
set -eu
cd "$(dirname "$0")/.."
BACKWALL_MACHINE=aarch64 BACKWALL_WHAT=${BACKWALL_WHAT:-live} BACKWALL_TIMES=${BACKWALL_TIMES:-20} exec tools/bench_guests.sh
