/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * A guest for the sweep that masks interrupts for a known number of instructions. After each mark, it executes OPEN instructions
 * with interrupts on, `cli`, MASKED - 2 instructions, `sti` and one more (the CPU accepts no interrupt between `sti` and the next
 * instruction). Then it executes instructions with interrupts on until the interrupt has come.
 *
 * The second instruction of the handler is the answer.
 */
#include "bare.h"

#define OPEN 20

handler:
    mov $CONNECTOR_LINE_ISR, %al
    out %al, %dx
    mov $0, %al
    out %al, %dx
    mov $1, %esi
    interrupt_end
    iret

main:
    port_arm
    sti
1:  xor %esi, %esi
    mov $CONNECTOR_LINE_MARK, %al
    out %al, %dx
    .rept OPEN
    mov $0, %al
    .endr
    cli
    .rept MASKED - 2
    nop
    .endr
    sti
    nop
2:  test %esi, %esi
    jz 2b
    mov $0, %al
    out %al, %dx
    jmp 1b
