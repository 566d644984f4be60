/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * A guest with a known service time: its handler takes exactly SERVICE instructions, `mret` included.
 *
 * The handler answers on line ISR and sets a flag. In each round, the main loop reads the flag: if it is set, the loop
 * answers on line APP; otherwise it toggles PROGRESS. So no pulse is missed if the period is at least SERVICE. If the
 * period is SERVICE or less, the main loop makes no progress.
 */
#include "bare.h"

/* The handler's instructions outside its waiting loop. A round of the loop has two instructions. */
#define FIXED 12
#if (SERVICE - FIXED) % 2 || SERVICE > 4000
#error "SERVICE must be even, and its turns a number that one instruction loads"
#endif

/* s5: the levels of the lines that the main loop sets; s6: the flag. */
    handler_begins
    interrupt_take
    nop
    nop
    ori a0, s5, CONNECTOR_LINE_ISR
    sb a0, 0(s2)
    sb s5, 0(s2)
    li s6, 1
    li t1, (SERVICE - FIXED) / 2
1:  addi t1, t1, -1
    bnez t1, 1b
    interrupt_finish
    nop
    nop
    mret

main:
    li s5, 0
    li s6, 0
    port_arm
    interrupts_on
    nop /* padding, so that one free instruction completes a round: the first pulse of a search comes before an `xori` */
    nop
1:  bnez s6, 2f
    xori s5, s5, CONNECTOR_LINE_PROGRESS
    sb s5, 0(s2)
    nop
    nop
    j 1b
2:  li s6, 0
    ori a1, s5, CONNECTOR_LINE_APP
    sb a1, 0(s2)
    sb s5, 0(s2)
    j 1b
