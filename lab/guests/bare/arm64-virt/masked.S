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
    mov w4, #1
    interrupt_end
    eret

main:
    port_arm
    interrupts_on
1:  mov w4, #0
    mov w5, #CONNECTOR_LINE_MARK
    strb w5, [x19]
    .rept OPEN
    nop
    .endr
    msr daifset, #2
    .rept MASKED - 1
    nop
    .endr
    interrupts_on
2:  cbz w4, 2b
    strb wzr, [x19]
    b 1b
