#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# Size of the tool's file as it is copied to another machine: without its debug symbols, which lie beside it.
set -eu
cd "$(dirname "$0")/.."
# The benches leave another build there, with symbols, and with what the libraries of the tests ask for.
tools/build.sh --quiet
bytes=$(stat -c %s target/release/backwall)
met=$([ "$bytes" -le 15000000 ] && echo yes || echo no)
printf 'tool\t%s\tbytes\t<= 15000000\t%s\t-\t-\tone file, stripped; debug symbols beside it\n' "$bytes" "$met"
