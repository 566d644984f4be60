/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * A guest for the sweep that masks interrupts for a known number of instructions. After each mark, it executes OPEN instructions
 * with interrupts on, one that masks them, MASKED - 1 instructions and one that unmasks them. Then it executes instructions with
 * interrupts on until the interrupt has come.
 *
 * The second instruction of the handler is the answer.
 */
#include "bare.h"

#define OPEN 20

    handler_begins
    answer_line CONNECTOR_LINE_ISR
    answer_line 0
    li s6, 1
    interrupt_end
    mret

main:
    port_arm
    interrupts_on
1:  li s6, 0
    li a1, CONNECTOR_LINE_MARK
    sb a1, 0(s2)
    .rept OPEN
    nop
    .endr
    csrci mstatus, STATUS_INTERRUPTS
    .rept MASKED - 1
    nop
    .endr
    interrupts_on
2:  beqz s6, 2b
    sb zero, 0(s2)
    j 1b
