#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# test_golden.sh BUILD GOLDEN: checks that new streams are the same as the golden ones, byte for byte.
set -eu
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
"$(dirname "$0")/golden.sh" "$1" "$fresh"
diff -r "$fresh" "$2" || {
    echo "FAIL golden: the streams differ from wire/golden; when that is meant, 'make -C probe golden' and read the diff" >&2
    exit 1
}
echo "PASS golden"
