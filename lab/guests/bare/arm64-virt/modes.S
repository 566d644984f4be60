/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Executes known numbers of instructions in both modes. The guest waits in user mode. The handler's KERNEL-th instruction returns
 * to user mode, where the MODES-th instruction raises APP. Before APP falls, it executes 3 more instructions in user mode, and a
 * call of CALL instructions in kernel mode.
 */
#include "bare.h"

#define KERNEL 20
#define CALL 50

    .balign 2048
vectors:
    .skip 0x400 /* an exception from user mode: here a call */
called:
    b 1f
    .skip 0x80 - 4
handler: /* an interrupt from user mode */
    interrupt_end
    msr elr_el1, x27
    .rept KERNEL - 5
    nop
    .endr
    eret
1:  .rept CALL - 2
    nop
    .endr
    eret

answer:
    .rept MODES - 2
    nop
    .endr
    answer_line CONNECTOR_LINE_APP
    svc #0
    answer_line 0
wait:
    add w2, w2, #1
    b wait

main:
    place x27, answer
    place x0, wait
    msr elr_el1, x0
    msr spsr_el1, xzr
    port_arm
    eret
