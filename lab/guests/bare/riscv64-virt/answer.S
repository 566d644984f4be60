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
    mret

main:
    port_arm
    interrupts_on
1:  addi t2, t2, 1
    j 1b
