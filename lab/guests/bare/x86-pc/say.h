/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Prints text on the first serial port; the emulated one is always ready. */
    .macro say text
    .section .rodata
8:  .asciz "\text"
    .text
    mov $8b, %esi
    push %edx
    mov $SERIAL, %edx
9:  lodsb
    test %al, %al
    jz 7f
    out %al, %dx
    jmp 9b
7:  pop %edx
    .endm
