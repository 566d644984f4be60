/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * A guest with a known service time: its handler takes exactly SERVICE instructions, `iret` included.
 *
 * The handler answers on line ISR and sets a flag. In each round, the main loop reads the flag: if it is set, the loop
 * answers on line APP; otherwise it toggles PROGRESS. So no pulse is missed if the period is at least SERVICE. If the
 * period is SERVICE or less, the main loop makes no progress.
 */
#include "bare.h"

/* The handler's instructions outside its waiting loop. A round of the loop has two instructions. */
#define FIXED 18
#if (SERVICE - FIXED) % 2
#error "SERVICE must be even"
#endif

handler:
    push %eax
    push %ecx
    mov %bl, %al
    or $CONNECTOR_LINE_ISR, %al
    out %al, %dx
    mov %bl, %al
    out %al, %dx
    mov $1, %esi
    mov $(SERVICE - FIXED) / 2, %ecx
1:  dec %ecx
    jnz 1b
    interrupt_end
    pop %ecx
    pop %eax
    nop
    nop
    nop
    nop
    iret

/* %bl: the levels of the lines that the main loop sets. */
main:
    xor %ebx, %ebx
    xor %esi, %esi
    port_arm
    sti
1:  test %esi, %esi
    jnz 2f
    xor $CONNECTOR_LINE_PROGRESS, %bl
    mov %bl, %al
    out %al, %dx
    jmp 1b
2:  xor %esi, %esi
    or $CONNECTOR_LINE_APP, %bl
    mov %bl, %al
    out %al, %dx
    and $~CONNECTOR_LINE_APP, %bl
    mov %bl, %al
    out %al, %dx
    jmp 1b
