/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Answers wrongly at known pulses, counted from 1: every tenth pulse gets no answer, pulse 25 gets two answers, and
 * pulse 37 gets a late one. Instructions from the edge to the answer: 9; for pulse 25, 7 and 12; for pulse 37, 3011.
 */
#include "bare.h"

    .macro answer
    mov $CONNECTOR_LINE_ISR, %al
    out %al, %dx
    mov $0, %al
    out %al, %dx
    .endm

/* %ebx: pulses so far; %esi: pulses until the next one to miss. */
handler:
    inc %ebx
    dec %esi
    jz 2f
    cmp $25, %ebx
    je 3f
    cmp $37, %ebx
    je 4f
1:  answer
    interrupt_end
    iret
2:  mov $10, %esi
    interrupt_end
    iret
3:  answer
    jmp 1b
4:  mov $1500, %ecx
5:  dec %ecx
    jnz 5b
    jmp 1b

main:
    xor %ebx, %ebx
    mov $10, %esi
    port_arm
    sti
1:  inc %ecx
    jmp 1b
