/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The start of every bare PC guest: a multiboot header, flat segments, one interrupt gate, the interrupt controllers.
 *
 * A guest is a file that includes this one and defines `handler` and `main`. Each interrupt enters `handler`. `main` starts with
 * interrupts off, all lines low and %dx = the port's data register. IRQ is 7 (port A) or 5 (port B).
 *
 * Sources: Multiboot Specification 0.6.96; Intel 8259A data sheet for the interrupt controllers.
 */
#include "../../../../wire/connector.h"

#if IRQ == CONNECTOR_A_IRQ
#define PORT CONNECTOR_A_PORT
#elif IRQ == CONNECTOR_B_IRQ
#define PORT CONNECTOR_B_PORT
#else
#error "IRQ must be 7 or 5"
#endif

#define VECTOR_BASE 0x20
#define PIC_COMMAND 0x20
#define PIC_DATA 0x21
#define PIC2_COMMAND 0xA0
#define PIC2_DATA 0xA1
#define END_OF_INTERRUPT 0x20
#define CODE_SEGMENT 0x08
#define DATA_SEGMENT 0x10
#define SERIAL 0x3F8

    .text
    .code32
    .balign 4
    .long 0x1BADB002, 0, -0x1BADB002

    /* The symbols have the type of functions, so that a sweep can name the function that a pulse interrupted. */
    .type _start, @function
    .type controllers_start, @function
    .type handler, @function
    .type main, @function

    .globl _start
_start:
    cli
    mov $stack_top, %esp
    lgdt segments_pointer
    ljmp $CODE_SEGMENT, $1f
1:  mov $DATA_SEGMENT, %eax
    mov %eax, %ds
    mov %eax, %es
    mov %eax, %ss
    mov $handler, %eax
    mov $gates + 8 * (VECTOR_BASE + IRQ), %edi
    mov %ax, (%edi)
    movw $CODE_SEGMENT, 2(%edi)
    movw $0x8E00, 4(%edi)
    shr $16, %eax
    mov %ax, 6(%edi)
    lidt gates_pointer
    call controllers_start
    mov $PORT, %edx
    xor %eax, %eax
    out %al, %dx
    jmp main

/* Maps the controllers' interrupts to VECTOR_BASE and enables only IRQ. */
controllers_start:
    mov $0x11, %al
    out %al, $PIC_COMMAND
    out %al, $PIC2_COMMAND
    mov $VECTOR_BASE, %al
    out %al, $PIC_DATA
    mov $VECTOR_BASE + 8, %al
    out %al, $PIC2_DATA
    mov $4, %al
    out %al, $PIC_DATA
    mov $2, %al
    out %al, $PIC2_DATA
    mov $1, %al
    out %al, $PIC_DATA
    out %al, $PIC2_DATA
    mov $0xFF & ~(1 << IRQ), %al
    out %al, $PIC_DATA
    mov $0xFF, %al
    out %al, $PIC2_DATA
    ret

/* Sets the interrupt-enable bit of the port, which starts the generator. Uses %al, leaves %dx at the data register. */
    .macro port_arm
    mov $CONNECTOR_ARMED, %al
    add $CONNECTOR_CONTROL, %edx
    out %al, %dx
    sub $CONNECTOR_CONTROL, %edx
    .endm

    .macro interrupt_end
    mov $END_OF_INTERRUPT, %al
    out %al, $PIC_COMMAND
    .endm

    .balign 8
segments:
    .quad 0, 0x00CF9A000000FFFF, 0x00CF92000000FFFF
segments_pointer:
    .word . - segments - 1
    .long segments
gates_pointer:
    .word 8 * 256 - 1
    .long gates

    .bss
    .balign 16
gates:
    .skip 8 * 256
    .skip 4096
stack_top:

    .text
