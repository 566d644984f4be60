/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Answers on line ISR with the ANSWER-th instruction of the handler: exactly ANSWER instructions after the edge. */
#include "bare.h"

    handler_begins
    .rept ANSWER - 2
    nop
    .endr
    answer_line CONNECTOR_LINE_ISR
    answer_line 0
    interrupt_end
    eret

main:
    port_arm
    interrupts_on
1:  add w2, w2, #1
    b 1b
