/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A guest for measuring the instrument's own cost: LOOPS rounds of six instructions, one of which writes memory, then a reset. */
#include "bare.h"

handler:
    iret

main:
    mov $LOOPS, %ecx
1:  mov %ecx, %eax
    add %eax, word
    imul %ecx, %eax
    xor %eax, %ebp
    dec %ecx
    jnz 1b
    lidt nothing
    int $3

nothing:
    .word 0
    .long 0

    .bss
word:
    .skip 4
