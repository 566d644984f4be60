// SPDX-License-Identifier: MIT OR Apache-2.0
// Switches threads, and enters and leaves interrupts and exceptions. Arm Architecture Reference Manual for A-profile, D1.10
// (exception entry and return), D13.2.37 (ESR_EL1).
#include "frame.inc"

    .arch armv8-a+fp+simd
    .text

    .macro FPU_ALL operation
    \operation q0, q1, [x0]
    \operation q2, q3, [x0, #32]
    \operation q4, q5, [x0, #64]
    \operation q6, q7, [x0, #96]
    \operation q8, q9, [x0, #128]
    \operation q10, q11, [x0, #160]
    \operation q12, q13, [x0, #192]
    \operation q14, q15, [x0, #224]
    \operation q16, q17, [x0, #256]
    \operation q18, q19, [x0, #288]
    \operation q20, q21, [x0, #320]
    \operation q22, q23, [x0, #352]
    \operation q24, q25, [x0, #384]
    \operation q26, q27, [x0, #416]
    \operation q28, q29, [x0, #448]
    \operation q30, q31, [x0, #480]
    .endm

    .macro VECTOR number
    .org vectors + 0x80 * \number
    mov x9, #\number
    b exception
    .endm

// An interrupt runs on the interrupted thread's stack, with the gate closed once more. It enables interrupts at once: until the
// end of interrupt, the controller holds back those of the same and lower priorities. From the end of interrupt on, interrupts
// are disabled, so they stack up no deeper than there are priorities. All of this fits into the place of its vector. Other short
// code is in the places of vectors that are never used. The places from the eighth on, for level 0, contain other code, because
// nothing runs at that level while this table is in use.
    .section .vectors, "ax"
    .balign 2048
    .globl vectors
    .type vectors, %function
vectors:
    VECTOR 0

    .globl interrupt_answered
    INTERRUPT_ANSWERED interrupt

    VECTOR 1

// The switch that switch_to usually points to. It saves only the registers that a call must preserve. The interrupt's own frame,
// if there is one, holds an interrupted thread's other registers.
    .globl switch_plain
    .type switch_plain, %function
switch_plain:
    stp x29, x30, [sp, #-SWITCH_BYTES]!
    stp x19, x20, [sp, #16]
    stp x21, x22, [sp, #32]
    stp x23, x24, [sp, #48]
    stp x25, x26, [sp, #64]
    mov x2, sp
    str x2, [x0, #THREAD_STACK_POINTER]
    ldr x2, [x1, #THREAD_STACK_POINTER]
    mov sp, x2
    ldp x19, x20, [sp, #16]
    ldp x21, x22, [sp, #32]
    ldp x23, x24, [sp, #48]
    ldp x25, x26, [sp, #64]
    ldp x29, x30, [sp], #SWITCH_BYTES
    ret

    VECTOR 2

    .globl fpu_save
    .type fpu_save, %function
fpu_save:
    FPU_ALL stp
    mrs x1, fpcr
    mrs x2, fpsr
    add x0, x0, #512
    stp x1, x2, [x0]
    ret

    VECTOR 3

    .globl fpu_restore
    .type fpu_restore, %function
fpu_restore:
    FPU_ALL ldp
    add x0, x0, #512
    ldp x1, x2, [x0]
    msr fpcr, x1
    msr fpsr, x2
    ret

    .org vectors + 0x80 * 4
    mrs x9, esr_el1
    lsr x9, x9, #SYNDROME_CLASS_SHIFT
    cmp x9, #CLASS_FPU
    b.eq fpu_trap
    mov x9, #4
    b exception

    .globl interrupt_catch_up
    .type interrupt_catch_up, %function
interrupt_catch_up:
    bl kernel_catch_up_masked
    ldr x1, [sp, #FRAME_STATE]
    b interrupt_return

    .org vectors + 0x80 * 5
    .type interrupt, %function
interrupt:
    FRAME_SAVE
    INTERRUPT_SERVE add w28, w28, #1
    cbnz w0, interrupt_answered
    msr daifset, #2
interrupt_end:
    INTERRUPT_END interrupt_catch_up
interrupt_return:
    FRAME_RETURN
    VECTOR 6

// The first use of floating point in a turn. It is handled like an interrupt.
    .globl fpu_trap
    .type fpu_trap, %function
fpu_trap:
    FRAME_SAVE
    stp x1, x2, [sp, #FRAME_ADDRESS]
    add w28, w28, #1
    msr daifclr, #2
    bl fpu_take
    msr daifset, #2
    ldr x1, [sp, #FRAME_STATE]
    subs w28, w28, #1
    b.eq interrupt_catch_up
    b interrupt_return

    VECTOR 7

// Exceptions end in a panic, on a stack of their own, so nothing is restored. Only an exception that device_is_there expects
// returns.
    .globl exception
    .type exception, %function
exception:
    mrs x10, tpidr_el1
    cbnz x10, 1f
    mov x4, sp
    adrp x10, fault_stack + FAULT_STACK_BYTES
    add x10, x10, :lo12:(fault_stack + FAULT_STACK_BYTES)
    mov sp, x10
    mov x0, x9
    mrs x1, esr_el1
    mrs x2, far_el1
    mrs x3, elr_el1
    b exception_panic
1:  msr elr_el1, x10
    eret

    .org vectors + 0x80 * 8

    .text

    .globl device_is_there
    .type device_is_there, %function
device_is_there:
    adr x1, 1f
    msr tpidr_el1, x1
    ldrb w1, [x0]
    dsb sy
    mov w0, #1
    b 2f
1:  mov w0, #0
2:  msr tpidr_el1, xzr
    ret

// Calls a function and restores the arguments of the switch.
    .macro SWITCH_AFTER function
    stp x0, x1, [sp, #-32]!
    str x30, [sp, #16]
    bl \function
    ldr x30, [sp, #16]
    ldp x0, x1, [sp], #32
    .endm

// The switch while the trail is on.
    .globl switch_noted
    .type switch_noted, %function
switch_noted:
    SWITCH_AFTER switch_note
    b switch_plain

// The switch while the CPU is halted and its idle time is counted.
    .globl switch_from_idle
    .type switch_from_idle, %function
switch_from_idle:
    SWITCH_AFTER idle_end
    adrp x2, switch_usual
    ldr x2, [x2, :lo12:switch_usual]
    br x2

// The switch while a thread runs that has used floating point in this turn. The next use traps again, and later switches are the
// usual ones.
    .globl switch_from_fpu
    .type switch_from_fpu, %function
switch_from_fpu:
    msr cpacr_el1, xzr
    isb
    adrp x2, switch_usual
    ldr x2, [x2, :lo12:switch_usual]
    adrp x3, switch_to
    str x2, [x3, :lo12:switch_to]
    br x2

// An ISR has no argument, so each line has a stub that passes its number on: line_walkers to chain_walk, and line_noters, while
// the trail is on, to isr_note. The 17th stub is the tick's.
    .macro LINE_STUBS name, to
    .globl \name
    .type \name, %function
\name:
    .set line, 0
    .rept 17
    mov w0, #line
    b \to
    .set line, line+1
    .endr
    .endm
    LINE_STUBS line_walkers, chain_walk
    LINE_STUBS line_noters, isr_note

    .section .bss
    .balign 16
fault_stack:
    .skip FAULT_STACK_BYTES

    .section .note.GNU-stack, "", %progbits
