/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Like answer.S, but the CPU halts between the interrupts. */
#include "bare.h"

    handler_begins
    .rept WAITS - 2
    nop
    .endr
    answer_line CONNECTOR_LINE_ISR
    answer_line 0
    interrupt_end
    mret

main:
    port_arm
    interrupts_on
1:  wfi
    j 1b
