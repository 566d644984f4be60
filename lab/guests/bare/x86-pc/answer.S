/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Answers on line ISR with the ANSWER-th instruction of the handler: exactly ANSWER instructions after the edge. */
#include "bare.h"

handler:
    .rept ANSWER - 2
    nop
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
