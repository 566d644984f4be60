/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Answers wrongly at known pulses, counted from 1: every tenth pulse gets no answer, pulse 25 gets two answers, and
 * pulse 37 gets a late one. Instructions from the edge to the answer: 9; for pulse 25, 7 and 12; for pulse 37, 3011.
 */
#include "bare.h"

    .macro answer
    answer_line CONNECTOR_LINE_ISR
    answer_line 0
    .endm

/* w3: pulses so far; w4: pulses until the next one to miss. */
    handler_begins
    add w3, w3, #1
    subs w4, w4, #1
    b.eq 2f
    cmp w3, #25
    b.eq 3f
    cmp w3, #37
    b.eq 4f
1:  answer
    interrupt_end
    eret
2:  mov w4, #10
    interrupt_end
    eret
3:  answer
    b 1b
4:  mov w2, #1500
5:  subs w2, w2, #1
    b.ne 5b
    b 1b

main:
    mov w3, #0
    mov w4, #10
    port_arm
    interrupts_on
1:  add w2, w2, #1
    b 1b
