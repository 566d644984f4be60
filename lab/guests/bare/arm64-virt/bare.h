/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The start of every bare arm64 guest: exception vectors, the interrupt controller, the GPIO controller.
 *
 * A guest is a file that includes this one and defines `handler` and `main`. Each interrupt enters `handler`. `main`
 * starts with interrupts off, all lines low and x19 = address of the port's data register. IRQ is 7 (port A) or 5 (port
 * B), as on a PC; here it selects the first or the second line of the GPIO controller. Guests must not change x19, nor
 * x24 to x28; `interrupt_end` needs x24 to x28.
 *
 * The guest starts at exception level 1 with the MMU off. Sources: Arm Architecture Reference Manual for A-profile, Arm GIC
 * Architecture Specification 3 and 4, PrimeCell PL061 and PL011; QEMU's hw/arm/virt for addresses.
 */
#include "../../../../wire/connector.h"

#if IRQ == CONNECTOR_A_IRQ
#define PORT CONNECTOR_A_PORT
#define GPIO_BIT (1 << CONNECTOR_ARM64_GPIO)
#elif IRQ == CONNECTOR_B_IRQ
#define PORT CONNECTOR_B_PORT
#define GPIO_BIT (2 << CONNECTOR_ARM64_GPIO)
#else
#error "IRQ must be 7 or 5"
#endif

#define DISTRIBUTOR 0x08000000
#define DISTRIBUTOR_GROUP (0x080 + 4)  /* for interrupts 32 to 63 */
#define DISTRIBUTOR_ENABLE (0x100 + 4) /* for interrupts 32 to 63 */
#define DISTRIBUTOR_ROUTE (0x6000 + 8 * GPIO_INTERRUPT)
#define DISTRIBUTOR_ON 0x12 /* affinity routing, and interrupts of group 1 */
#define REDISTRIBUTOR_WAKER 0x080A0014
#define GPIO 0x09030000
#define GPIO_RISES 0x40C
#define GPIO_LETS_THROUGH 0x410
#define GPIO_CLEAR 0x41C
#define GPIO_INTERRUPT 39
#define SERIAL 0x09000000

/* Registers by number, because assemblers know different names. */
#define PRIORITY_MASK S3_0_C4_C6_0
#define INTERRUPT_ACKNOWLEDGE S3_0_C12_C12_0
#define INTERRUPT_END S3_0_C12_C12_1
#define SYSTEM_REGISTERS_ON S3_0_C12_C12_5
#define GROUP_1_ON S3_0_C12_C12_7

    .macro address register, value
    movz \register, #(\value) & 0xFFFF
    movk \register, #(\value) >> 16, lsl #16
    .endm

    .macro place register, symbol
    adrp \register, \symbol
    add \register, \register, :lo12:\symbol
    .endm

    .macro store_word base, offset, value
    address x0, \base + \offset
    mov w1, #\value
    str w1, [x0]
    .endm

    .text
    /* The symbols have the type of functions, so that a sweep can name the function that a pulse interrupted. */
    .type _start, %function
    .type controllers_start, %function
    .type handler, %function
    .type main, %function

    .globl _start
_start:
    place x0, vectors
    msr vbar_el1, x0
    bl controllers_start
    address x19, CONNECTOR_PAGE + PORT
    address x25, GPIO + GPIO_CLEAR
    mov w26, #GPIO_BIT
    strb wzr, [x19]
    b main

/* Enables only the GPIO controller's interrupt, and of its lines only the port's. */
controllers_start:
    store_word REDISTRIBUTOR_WAKER, 0, 0
    store_word DISTRIBUTOR, 0, DISTRIBUTOR_ON
    store_word DISTRIBUTOR, DISTRIBUTOR_GROUP, 1 << (GPIO_INTERRUPT - 32)
    address x0, DISTRIBUTOR + DISTRIBUTOR_ROUTE
    str xzr, [x0]
    store_word DISTRIBUTOR, DISTRIBUTOR_ENABLE, 1 << (GPIO_INTERRUPT - 32)
    mov x0, #1
    msr SYSTEM_REGISTERS_ON, x0
    isb
    msr GROUP_1_ON, x0
    mov x0, #0xFF
    msr PRIORITY_MASK, x0
    isb
    store_word GPIO, GPIO_RISES, GPIO_BIT
    store_word GPIO, GPIO_LETS_THROUGH, GPIO_BIT
    ret

/* Sets the interrupt-enable bit of the port, which starts the generator. Uses w0. */
    .macro port_arm
    mov w0, #CONNECTOR_ARMED
    strb w0, [x19, #CONNECTOR_CONTROL]
    .endm

    .macro interrupts_on
    msr daifclr, #2
    .endm

    .macro answer_line line
    mov w0, #\line
    strb w0, [x19]
    .endm

/* The first half of the interrupt's service. After it, the next edge can become pending. Uses x24. */
    .macro interrupt_take
    mrs x24, INTERRUPT_ACKNOWLEDGE
    strb w26, [x25]
    .endm

    .macro interrupt_finish
    msr INTERRUPT_END, x24
    .endm

    .macro interrupt_end
    interrupt_take
    interrupt_finish
    .endm

/* Only the vector of an interrupt at this level is used, so the handler may extend over the vectors after it. */
    .macro handler_begins
    .balign 2048
vectors:
    .skip 0x280
handler:
    .endm
