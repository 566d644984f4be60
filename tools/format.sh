#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# C in the style of .clang-format: tools/format.sh check|write [FOLDER ...]
# The headers of lab/guests/bare are assembly, which it does not know.
set -eu
cd "$(dirname "$0")/.."
FORMATTED="wire probe kernel lab pico"
case "${1:-}" in
check) how="--dry-run --Werror" ;;
write) how="-i" ;;
*)
    echo "usage: tools/format.sh check|write [FOLDER ...]" >&2
    exit 2
    ;;
esac
shift
[ $# -gt 0 ] || set -- $FORMATTED
# shellcheck disable=SC2086 # two words
find "$@" -name '*.[ch]' -not -path 'lab/guests/bare/*' -print0 | xargs -0 clang-format $how
