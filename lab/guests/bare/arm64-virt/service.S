/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * A guest of known service time: its handler takes exactly SERVICE instructions, `eret` included.
 *
 * The handler answers on ISR and leaves a note; the main loop, when it gets the processor, answers the note on APP, and
 * otherwise toggles PROGRESS. So no pulse is missed while the period is at least SERVICE, and the main loop makes no
 * progress at a period of SERVICE or less.
 */
#include "bare.h"

/* What the handler executes besides its waiting loop of two instructions a turn. */
#define FIXED 12
#if (SERVICE - FIXED) % 2
#error "SERVICE must be even"
#endif

/* w3: the levels of the lines that the main loop owns; w4: the note. The flags are the main loop's too. */
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
    nop /* with these a search's first pulse finds the loop before an `eor`, whose turn is done if one instruction is left for it */
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
