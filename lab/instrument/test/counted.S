/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A guest that executes a known number of heavy instructions of each kind between two readings of the time stamp counter, in the
 * order of heavy.h: 1 load of CR3, 2 accesses to MSRs, and so on to 10 returns from interrupts. It sends the counter's result on
 * the channel. Then it sends the result for a part of these instructions, between instants that are not readings, and for an
 * empty part.
 */
#define IRQ 7
#include "../../guests/bare/x86-pc/bare.h"

#define APIC_BASE_MSR 0x1B
#define APIC_TASK_PRIORITY 0xFEE00080

    .macro ask from, to
    mov \from, %eax
    mov $CONNECTOR_COUNT_FROM_PORT, %edx
    out %eax, %dx
    mov \to, %eax
    mov $CONNECTOR_COUNT_TO_PORT, %edx
    out %eax, %dx
    call answer_send
    .endm

/* Sends the text up to its final zero, and a line end. */
answer_send:
    mov $CONNECTOR_COUNT_FROM_PORT, %edx
    in %dx, %al
    mov $CONNECTOR_CHANNEL_PORT, %edx
    test %al, %al
    jz 1f
    out %al, %dx
    jmp answer_send
1:  mov $'\n', %al
    out %al, %dx
    ret

handler:
    iret

main:
    rdtsc
    mov %eax, %esi
    mov %cr3, %eax
    mov %eax, %cr3
    mov $APIC_BASE_MSR, %ecx
    rdmsr
    wrmsr
    mov $0x80, %edx /* the port for POST codes */
    out %al, %dx
    in %dx, %al
    out %al, $0x80
    movl $0, APIC_TASK_PRIORITY
    movl $0, APIC_TASK_PRIORITY
    mov APIC_TASK_PRIORITY, %eax
    mov APIC_TASK_PRIORITY, %eax
    mov $3, %ecx
    xor %edx, %edx
    .rept 4
    mov $100, %eax
    div %ecx
    xor %edx, %edx
    .endr
    mov $100, %eax
    idivl three
    pushf
    cli
    cli
    cli
    cli
    cli
    popf
    mov $2, %ecx
1:  lock incl scratch
    xchg %eax, scratch
    lock bts %eax, scratch
    dec %ecx
    jnz 1b
    xchg %al, scratch
    mov $7, %eax
    .rept 4
    bts %eax, scratch
    btr %eax, scratch
    .endr
    btsl $7, scratch /* the bit number is in the instruction: not heavy */
    fninit
    .rept 4
    fxsave scratch
    fxrstor scratch
    .endr
    fnsave scratch
    mov $10, %ecx
2:  pushf
    push %cs
    push $3f
    iret
3:  dec %ecx
    jnz 2b
    rdtsc
    mov %eax, %edi
    ask %esi, %edi
    lea 1(%esi), %ebx /* starts after the first reading, and includes the load of CR3 and the read of the MSR */
    lea 6(%esi), %ebp
    ask %ebx, %ebp
    ask %edi, %esi
    mov $CONNECTOR_END_PORT, %edx
    xor %eax, %eax
    out %al, %dx
4:  hlt
    jmp 4b

    .section .rodata
three:
    .long 3
    .bss
    .balign 16
scratch:
    .skip 512
