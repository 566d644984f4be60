/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A guest for measuring the instrument's own cost: LOOPS rounds of six instructions, one of which writes memory, then a reset. */
#include "bare.h"

    handler_begins
    mret

main:
    la t1, word
    li t2, LOOPS
1:  lw t0, 0(t1)
    add t0, t0, t2
    sw t0, 0(t1)
    xor t3, t3, t0
    addi t2, t2, -1
    bnez t2, 1b
    store_word BOARD, BOARD_RESET
2:  j 2b

    .bss
    .balign 4
word:
    .skip 4
