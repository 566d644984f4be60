/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The start of every bare riscv64 guest: the trap vector and the platform's interrupt controller.
 *
 * A guest is a file that includes this one and defines `handler` and `main`. Each interrupt enters `handler`. `main` starts with
 * interrupts off, all lines low and s2 = address of the port's data register. IRQ is 7 (port A) or 5 (port B), as on a PC; here
 * it selects the first or the second source of the controller that the board leaves free. Guests must not change s2 to s4;
 * `interrupt_end` needs s3 and s4.
 *
 * The guest starts in machine mode, without firmware. Sources: RISC-V Privileged Architecture; RISC-V Platform-Level Interrupt
 * Controller Specification 1.0.0; QEMU's hw/riscv/virt.c for the addresses.
 */
#include "../../../../wire/connector.h"

#if IRQ == CONNECTOR_A_IRQ
#define PORT CONNECTOR_A_PORT
#define SOURCE CONNECTOR_RISCV64_SOURCE
#elif IRQ == CONNECTOR_B_IRQ
#define PORT CONNECTOR_B_PORT
#define SOURCE (CONNECTOR_RISCV64_SOURCE + 1)
#else
#error "IRQ must be 7 or 5"
#endif

/* The interrupt controller, with the registers for the first CPU in machine mode. */
#define PLIC 0x0C000000
#define PLIC_PRIORITY (4 * SOURCE)
#define PLIC_ENABLE (0x2000 + 4 * (SOURCE / 32))
#define PLIC_THRESHOLD 0x200000
#define PLIC_CLAIM 0x200004
#define SERIAL 0x10000000
/* The board's reset register: a word written there resets the board. */
#define BOARD 0x00100000
#define BOARD_RESET 0x7777

#define STATUS_INTERRUPTS 8   /* MIE of mstatus */
#define ENABLE_EXTERNAL 0x800 /* MEIE of mie */

    .macro store_word at, value
    li t0, \at
    li t1, \value
    sw t1, 0(t0)
    .endm

    .text
    /* No compressed instructions: all have four bytes, and the instrument recognises a halting one by its bytes. */
    .option norvc
    /* The symbols have the type of functions, so that a sweep can name the function that a pulse interrupted. */
    .type _start, %function
    .type controller_start, %function
    .type handler, %function
    .type main, %function

    .globl _start
_start:
    la t0, handler
    csrw mtvec, t0
    call controller_start
    li s2, CONNECTOR_PAGE + PORT
    li s3, PLIC + PLIC_CLAIM
    sb zero, 0(s2)
    j main

/* Enables only the port's interrupt source. */
controller_start:
    store_word PLIC + PLIC_PRIORITY, 1
    store_word PLIC + PLIC_ENABLE, 1 << (SOURCE % 32)
    store_word PLIC + PLIC_THRESHOLD, 0
    li t0, ENABLE_EXTERNAL
    csrw mie, t0
    ret

/* Sets the interrupt-enable bit of the port, which starts the generator. Uses a0. */
    .macro port_arm
    li a0, CONNECTOR_ARMED
    sb a0, CONNECTOR_CONTROL(s2)
    .endm

    .macro interrupts_on
    csrsi mstatus, STATUS_INTERRUPTS
    .endm

    .macro answer_line line
    li a0, \line
    sb a0, 0(s2)
    .endm

/* The first half of the interrupt's service. After it, the next edge can become pending. */
    .macro interrupt_take
    lw s4, 0(s3)
    .endm

    .macro interrupt_finish
    sw s4, 0(s3)
    .endm

    .macro interrupt_end
    interrupt_take
    interrupt_finish
    .endm

    .macro handler_begins
    .balign 4
handler:
    .endm
