#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# C in the style of .clang-format: tools/format.sh check|write [FOLDER ...]
# The folders below are in that style; the others join this list as they are brought into it (write FOLDER, then a line).
set -eu
cd "$(dirname "$0")/.."
FORMATTED="probe/bench probe/load lab/instrument/test"
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
find "$@" -name '*.[ch]' -print0 | xargs -0 clang-format $how
