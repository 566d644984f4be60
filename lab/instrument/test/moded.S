/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A guest that executes a known number of instructions in kernel mode between two captures of the counts by mode: LOOPS rounds of
 * two instructions, and the instructions around them. On the channel, it sends by how much each count has grown (the lower half),
 * and whether the upper halves are unchanged.
 */
#define IRQ 7
#define LOOPS 1000
#include "../../guests/bare/x86-pc/bare.h"

/* Instructions between two `take`s in addition to the loops: the reads of the first, and the write of the second. */
    .macro take into
    mov $CONNECTOR_MODES_PORT, %edx
    out %eax, %dx
    mov \into, %edi
    mov $4, %ecx
1:  in %dx, %eax
    stosl
    dec %ecx
    jnz 1b
    .endm

    .macro tell at
    mov second + \at, %eax
    sub first + \at, %eax
    mov $CONNECTOR_CHANNEL_PORT, %edx
    out %eax, %dx
    .endm

handler:
    iret

main:
    take $first
    mov $LOOPS, %ecx
1:  dec %ecx
    jnz 1b
    take $second
    tell 0
    tell 8
    tell 4
    tell 12
    mov $CONNECTOR_END_PORT, %edx
    xor %eax, %eax
    out %al, %dx
2:  hlt
    jmp 2b

    .bss
    .balign 16
first:
    .skip 16
second:
    .skip 16
