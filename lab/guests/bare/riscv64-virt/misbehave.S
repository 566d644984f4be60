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

/* s5: pulses so far; s6: pulses until the next one to miss. */
    handler_begins
    addi s5, s5, 1
    addi s6, s6, -1
    beqz s6, 2f
    li t0, 25
    beq s5, t0, 3f
    li t0, 37
    beq s5, t0, 4f
1:  answer
    interrupt_end
    mret
2:  li s6, 10
    interrupt_end
    mret
3:  answer
    j 1b
4:  li t1, 1500
5:  addi t1, t1, -1
    bnez t1, 5b
    j 1b

main:
    li s5, 0
    li s6, 10
    port_arm
    interrupts_on
1:  addi t2, t2, 1
    j 1b
