/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Prints text on the first serial port; the emulated one is always ready. Uses x0 to x2. */
    .macro say text
    .section .rodata
8:  .asciz "\text"
    .text
    place x0, 8b
    address x1, SERIAL
9:  ldrb w2, [x0], #1
    cbz w2, 7f
    strb w2, [x1]
    b 9b
7:
    .endm
