#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# usage: symbols.sh KERNEL.elf: prints the names of a linked kernel's functions as assembly, for the kernel's own table of names.
# NM: an nm that reads files of the kernel's CPU.
set -eu
"${NM:-nm}" -n "$1" | awk '
    $2 ~ /^[tT]$/ && $3 !~ /^\$/ { n++; address[n] = $1; name[n] = $3 }
    END {
        print "    .section .symbols, \"a\""
        for (i = 1; i <= n; i++) printf "    .quad 0x%s, name_%d\n", address[i], i
        if (n) printf "    .quad 0x%s + 0x10000, name_%d\n", address[n], n
        print "    .section .rodata.names, \"a\""
        for (i = 1; i <= n; i++) printf "name_%d: .asciz \"%s\"\n", i, name[i]
        print "    .section .note.GNU-stack, \"\", %progbits"
    }'
