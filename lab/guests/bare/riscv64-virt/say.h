/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Prints text on the first serial port; the emulated one is always ready. Uses t0 to t2. */
    .macro say text
    .section .rodata
8:  .asciz "\text"
    .text
    la t0, 8b
    li t1, SERIAL
9:  lbu t2, 0(t0)
    addi t0, t0, 1
    beqz t2, 7f
    sb t2, 0(t1)
    j 9b
7:
    .endm
