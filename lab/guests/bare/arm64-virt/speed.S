/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A guest for measuring the instrument's own cost: LOOPS rounds of six instructions, one of which writes memory, then a reset. */
#include "bare.h"

#define SYSTEM_RESET 0x84000009

    handler_begins
    eret

main:
    place x1, word
    address x2, LOOPS
1:  ldr w0, [x1]
    add w0, w0, w2
    str w0, [x1]
    eor w3, w3, w0
    subs w2, w2, #1
    b.ne 1b
    address x0, SYSTEM_RESET
    hvc #0

    .bss
    .balign 4
word:
    .skip 4
