#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# test_freestanding.sh CC BUILD: checks that the parts which all systems share need no library, so that a system without one can use them.
set -eu
object="$2/freestanding.o"
for source in measure/*.c load/polygons.c load/spin.c load/handoff.c ring.c; do
    "$1" -std=c11 -O2 -Wall -Wextra -Werror -ffreestanding -fno-stack-protector -c "$source" -o "$object"
    # A compiler may always call memcpy, memmove, memset and memcmp.
    needed=$(nm -u "$object" | awk '{ print $2 }' | grep -Ev '^(port|ring|measured)_|^(caches|handover|operation|partner)_|^OPERATION[A-Z_]*$|^_GLOBAL_OFFSET_TABLE_$|^handoff_alternate$|^(memcpy|memmove|memset|memcmp)$' || true)
    if [ -n "$needed" ]; then
        echo "FAIL freestanding: $source needs $needed" >&2
        exit 1
    fi
done
echo "PASS the_shared_parts_need_no_library"
