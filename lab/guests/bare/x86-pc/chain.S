/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * A handler that calls a hundred functions, link_0 to link_99, before it answers. Each function begins with a two-byte jump over
 * PLANT instructions. Replacing it by a two-byte no-operation makes only that function longer, by PLANT instructions.
 */
#include "bare.h"

#define LINKS 100

    .altmacro
    .macro link number
    .type link_\number, @function
link_\number:
    jmp 1f
    .rept PLANT
    nop
    .endr
1:  ret
    .endm
    .macro call_link number
    call link_\number
    .endm

    .set count, 0
    .rept LINKS
    link %count
    .set count, count + 1
    .endr

handler:
    .set count, 0
    .rept LINKS
    call_link %count
    .set count, count + 1
    .endr
    mov $CONNECTOR_LINE_ISR, %al
    out %al, %dx
    mov $0, %al
    out %al, %dx
    interrupt_end
    iret

main:
    port_arm
    sti
1:  inc %ecx
    jmp 1b
