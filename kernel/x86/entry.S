// SPDX-License-Identifier: MIT OR Apache-2.0
// Switches threads, and enters and leaves interrupts and exceptions. AMD64 Architecture Programmer's Manual volume 2, 8.9
// (long-mode interrupt stack frames).
#include "frame.inc"
#include "machine.h"

    .text

// The switch that switch_to usually points to. It saves only the registers that a call must preserve. The interrupt's own frame,
// if there is one, holds an interrupted thread's other registers.
    .globl switch_plain
    .balign 16
    .type switch_plain, @function
switch_plain:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, THREAD_STACK_POINTER(%rdi)
    movq THREAD_STACK_POINTER(%rsi), %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret

// The switch while the trail is on.
    .globl switch_noted
    .type switch_noted, @function
switch_noted:
    pushq %rdi
    pushq %rsi
    call switch_note
    popq %rsi
    popq %rdi
    jmp switch_plain

// The switch while the CPU is halted and its idle time is counted.
    .globl switch_from_idle
    .type switch_from_idle, @function
switch_from_idle:
    pushq %rdi
    pushq %rsi
    call idle_end
    popq %rsi
    popq %rdi
    jmp *switch_usual

// The switch while a thread runs that has used floating point in this turn. The next use traps again, and later switches are the
// usual ones.
    .globl switch_from_fpu
    .type switch_from_fpu, @function
switch_from_fpu:
    movl $CR0_FPU_TRAPS, %eax
    movq %rax, %cr0
    movq switch_usual, %rax
    movq %rax, switch_to
    jmp *%rax

// An interrupt runs on the interrupted thread's stack, with the gate closed once more. With nesting, it enables interrupts at
// once: until the EOI, the local APIC holds back the same and lower classes. From the EOI on, interrupts are disabled, so they
// stack up no deeper than there are classes.
.macro INTERRUPT isr, nesting, rax_is_pushed=0
    INTERRUPT_SAVE \rax_is_pushed
    incl kernel_gate
.if \nesting
    sti
.endif
    call *\isr
    testl %eax, %eax
    jnz interrupt_answered
.endm

.macro INTERRUPT_END
    cli
    movl $0, APIC_WINDOW + APIC_EOI
    decl kernel_gate
    jz interrupt_catch_up
    INTERRUPT_RETURN
.endm

// Sets the pending bit of the ISR's answer, and marks in the gate that something is pending. Counts an answer that is not a
// SYSINTR.
    .balign 16
    .type interrupt_answered, @function
interrupt_answered:
    cmpl $SYSINTR_LAST, %eax
    ja interrupt_unknown
    btsq %rax, kernel_pending
    jc interrupt_again
interrupt_known:
    btrl $31, kernel_gate
    INTERRUPT_END

// Its bit is already pending. One bit sets the event only once, so this interrupt is counted.
interrupt_again:
    shll $IRQ_SHIFT, %eax
    incl irqs+IRQ_COALESCED(%rax)
    jmp interrupt_known

    .type interrupt_unknown, @function
interrupt_unknown:
    incl irq_unclaimed
    INTERRUPT_END

    .type interrupt_catch_up, @function
interrupt_catch_up:
    call kernel_catch_up_masked
    INTERRUPT_RETURN

// One entry of each kind for each of the 16 lines and, as the 17th, for the tick. Only profiles use the entries without nesting,
// which share one end.
    .balign 16
    .globl interrupt_entries_nesting
    .type interrupt_entries_nesting, @function
interrupt_entries_nesting:
    .set line, 0
    .rept 17
    INTERRUPT isr_table+8*line, 1
    INTERRUPT_END
    .org interrupt_entries_nesting + ENTRY_NESTING_BYTES * (line + 1)
    .set line, line+1
    .endr

    .globl interrupt_entries_plain
    .type interrupt_entries_plain, @function
interrupt_entries_plain:
    .set line, 0
    .rept 17
    pushq $line
    jmp interrupt_plain
    .org interrupt_entries_plain + ENTRY_PLAIN_BYTES * (line + 1)
    .set line, line+1
    .endr

// The entry has pushed the line's number where rax belongs.
    .type interrupt_plain, @function
interrupt_plain:
    xchgq %rax, (%rsp)
    INTERRUPT "isr_table(,%rax,8)", 0, 1
    INTERRUPT_END

// An ISR has no argument, so each line has a stub that passes its number on: line_walkers to chain_walk, and line_noters, while
// the trail is on, to isr_note. The 17th stub is the tick's.
.macro LINE_STUBS name, to
    .globl \name
    .type \name, @function
\name:
    .set line, 0
    .rept 17
    pushq $line
    popq %rdi
    jmp \to
    .org \name + LINE_STUB_BYTES * (line + 1)
    .set line, line+1
    .endr
.endm
    LINE_STUBS line_walkers, chain_walk
    LINE_STUBS line_noters, isr_note

    .globl interrupt_spurious
    .type interrupt_spurious, @function
interrupt_spurious:
    iretq

// The first use of floating point in a turn. It is handled like an interrupt.
    .balign 16
    .globl fpu_trap
    .type fpu_trap, @function
fpu_trap:
    INTERRUPT_SAVE
    incl kernel_gate
    sti
    call fpu_take
    cli
    decl kernel_gate
    jz interrupt_catch_up
    INTERRUPT_RETURN

// Exceptions end in a panic, so nothing is restored. Those without an error code get a zero below their vector.
    .globl exception_entries
    .type exception_entries, @function
exception_entries:
    .set vector, 0
    .rept EXCEPTIONS
    pushq $vector
    jmp exception
    .org exception_entries + EXCEPTION_BYTES * (vector + 1)
    .set vector, vector+1
    .endr
    .type exception, @function
exception:
    popq %rax
    movl $EXCEPTIONS_WITH_ERROR, %ecx
    btl %eax, %ecx
    jc 1f
    pushq $0
1:  pushq %rax
    movq %rsp, %rdi
    andq $~15, %rsp
    call exception_panic
    ud2

    .section .note.GNU-stack, "", @progbits
