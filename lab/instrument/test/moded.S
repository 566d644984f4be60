/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A guest that executes a known number of instructions between two takings of the counts by mode, all of them in kernel mode:
 * LOOPS turns of two instructions, and what stands around them. It tells the channel how many more the second taking of
 * each count had, the lower half of each, and whether the upper halves stayed.
 */
#define IRQ 7
#define LOOPS 1000
#include "../../guests/bare/x86-pc/bare.h"

/* What is counted between two `take`s beyond what stands between them: the first one's readings, and the second's write. */
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
