/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * A guest with a known service time: its handler takes exactly SERVICE instructions, `eret` included.
 *
 * The handler answers on line ISR and sets a flag. In each round, the main loop reads the flag: if it is set, the loop
 * answers on line APP; otherwise it toggles PROGRESS. So no pulse is missed if the period is at least SERVICE. If the
 * period is SERVICE or less, the main loop makes no progress.
 */
#include "bare.h"

/* The handler's instructions outside its waiting loop. A round of the loop has two instructions. */
#define FIXED 12
#if (SERVICE - FIXED) % 2
#error "SERVICE must be even"
#endif

/* w3: the levels of the lines that the main loop sets; w4: the flag. The handler keeps the condition flags for the loop. */
    handler_begins
    interrupt_take
    nop
    orr w0, w3, #CONNECTOR_LINE_ISR
    strb w0, [x19]
    strb w3, [x19]
    mov w4, #1
    mov w1, #(SERVICE - FIXED) / 2
1:  sub w1, w1, #1
    cbnz w1, 1b
    interrupt_finish
    nop
    nop
    eret

main:
    mov w3, #0
    mov w4, #0
    port_arm
    interrupts_on
    nop /* padding, so that one free instruction completes a round: the first pulse of a search comes before an `eor` */
    nop
1:  cbnz w4, 2f
    eor w3, w3, #CONNECTOR_LINE_PROGRESS
    strb w3, [x19]
    nop
    nop
    b 1b
2:  mov w4, #0
    orr w5, w3, #CONNECTOR_LINE_APP
    strb w5, [x19]
    strb w3, [x19]
    b 1b
