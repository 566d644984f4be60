/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Executes known numbers of instructions in both modes. The guest waits in user mode. The handler's KERNEL-th instruction returns
 * to user mode, where the MODES-th instruction raises APP. Before APP falls, it executes 3 more instructions in user mode, and a
 * call of CALL instructions in machine mode.
 */
#include "bare.h"

#define KERNEL 20
#define CALL 50
#define CAUSE_EXTERNAL 11
#define VECTORED 1
#define STATUS_BEFORE 0x1800 /* MPP of mstatus: the mode to return to */
#define PERMIT_ALL 0x1F      /* the first range of protected memory: read, write and execute */

    .balign 256
vectors:
    j called /* an exception: here a call from user mode */
    .skip 4 * CAUSE_EXTERNAL - 4
handler: /* an interrupt */
    interrupt_end
    csrw mepc, s5
    .rept KERNEL - 4
    nop
    .endr
    mret

called:
    csrr t0, mepc
    addi t0, t0, 4
    csrw mepc, t0
    .rept CALL - 5
    nop
    .endr
    mret

answer:
    .rept MODES - 2
    nop
    .endr
    answer_line CONNECTOR_LINE_APP
    ecall
    answer_line 0
wait:
    addi t2, t2, 1
    j wait

main:
    la s5, answer
    la t0, vectors + VECTORED
    csrw mtvec, t0
    li t0, -1
    csrw pmpaddr0, t0
    li t0, PERMIT_ALL
    csrw pmpcfg0, t0
    la t0, wait
    csrw mepc, t0
    li t0, STATUS_BEFORE
    csrc mstatus, t0
    port_arm
    mret
