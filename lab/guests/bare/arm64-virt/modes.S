/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Known numbers of instructions in both modes. It waits in user mode; the handler is left with its KERNEL-th instruction for
 * user mode, where the MODES-th raises APP. Before APP falls again there are 3 more in user mode, and a call of CALL in kernel
 * mode.
 */
#include "bare.h"

#define KERNEL 20
#define CALL 50

    .balign 2048
vectors:
    .skip 0x400 /* a call from the level below */
called:
    b 1f
    .skip 0x80 - 4
handler: /* an interrupt there */
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
