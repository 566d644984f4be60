// SPDX-License-Identifier: MIT OR Apache-2.0
// Enters the kernel from user mode, returns to it, and switches between threads of different processes. In user mode the CPU uses
// the stack pointer of level 0. The stack pointer of level 1 keeps its value from the return to user mode, so an entry loads
// nothing.
//
// No kernel code uses x9 to x15 and x18, so a process's values stay there; only a switch to another thread saves them. x27 and
// x28 belong to the kernel: the address of the table of ISRs, and the gate. While user mode runs, the gate is open and nothing is
// pending. Arm Architecture Reference Manual for A-profile, D1.10 (exception entry and return), D5.3 (translation), D13.2.37
// (ESR_EL1).
#include "process/calls.h"
#include "process/layout.h"
#include "arm64/frame.inc"

#define CLASS_SYSTEM_CALL 0x15
#define GATE_OPEN_WORD 0x80000000
#define GATE_CLOSED_ONCE 0x80000001
#define TRANSLATION_48 0x803510 // boot.S's value, with addresses of 48 bits
#define CONTROL_MMU 1
#define SYSTEM_CALL_BYTES 32    // pushed by a system call
#define SERVER_CALL_BYTES 96    // pushed below it by a call of a server; VISITS_STACK_BYTES (image.mk) allows for both

    .arch armv8-a+fp+simd
    .set system_calls_count, 0
#define COUNTED(name, shape) .set system_calls_count, system_calls_count + 1;
    SYSTEM_CALLS(COUNTED)

    .macro ZERO registers:vararg
    .irp number, \registers
    mov x\number, #0
    .endr
    .endm

// Loads the kernel's two registers. User mode's values of them are saved above the frame.
    .macro KERNEL_REGISTERS gate
    mov w28, #\gate
    adr x27, isr_table
    .endm

    .macro USER_RETURN
    FRAME_RESTORE
    ldp x27, x28, [sp], #16
    eret
    .endm

// The vector table of the image with processes. Short code is in the places of vectors that are never used.
    .macro VECTOR number
    .org process_vectors + 0x80 * \number
    mov x9, #\number
    b exception
    .endm

    .section .vectors.process, "ax"
    .balign 2048
    .globl process_vectors
    .type process_vectors, %function
process_vectors:
    VECTOR 0
    INTERRUPT_ANSWERED user_interrupt

    VECTOR 1
    VECTOR 2
    VECTOR 3

    .org process_vectors + 0x80 * 4
    mrs x9, esr_el1
    lsr x9, x9, #SYNDROME_CLASS_SHIFT
    cmp x9, #CLASS_FPU
    b.eq fpu_trap
    b kernel_exception

user_interrupt_catch_up:
    bl kernel_catch_up_masked
    ldr x1, [sp, #FRAME_STATE]
    b user_interrupt_return

    .org process_vectors + 0x80 * 5
    .type kernel_interrupt, %function
kernel_interrupt:
    FRAME_SAVE
    INTERRUPT_SERVE add w28, w28, #1
    cbnz w0, interrupt_answered
    msr daifset, #2
    INTERRUPT_END interrupt_catch_up
    FRAME_RETURN

    VECTOR 6
    VECTOR 7

// A system call: its number is in w8, its arguments in x0 to x5, the result in x0. It returns no other kernel value in registers.
    .org process_vectors + 0x80 * 8
    .type user_synchronous, %function
user_synchronous:
    stp x27, x28, [sp, #-16]!
    mrs x27, esr_el1
    lsr x27, x27, #SYNDROME_CLASS_SHIFT
    cmp x27, #CLASS_SYSTEM_CALL
    b.ne user_exception
    mrs x16, elr_el1
    stp x30, x16, [sp, #-16]!
    KERNEL_REGISTERS GATE_OPEN_WORD
    msr daifclr, #2
    cmp w8, #system_calls_count
    b.hs system_call_of_none
    adr x16, system_calls
    ldr x16, [x16, w8, uxtw #3]
    blr x16
system_call_return:
    msr daifset, #2
    ldp x30, x16, [sp], #16
    msr elr_el1, x16
    msr spsr_el1, xzr
    ZERO 1, 2, 3, 4, 5, 6, 7, 8, 16, 17
    ldp x27, x28, [sp], #16
    eret

    .org process_vectors + 0x80 * 9
    .type user_interrupt, %function
user_interrupt:
    stp x27, x28, [sp, #-16]!
    FRAME_SAVE
    KERNEL_REGISTERS GATE_CLOSED_ONCE
    INTERRUPT_SERVE
    cbnz w0, user_interrupt_answered
    msr daifset, #2
    b user_interrupt_end

    VECTOR 10

user_interrupt_end:
    INTERRUPT_END user_interrupt_catch_up
user_interrupt_return:
    USER_RETURN

    VECTOR 11

system_call_of_none:
    bl system_call_unknown
    b system_call_return

    VECTOR 12
    VECTOR 13
    VECTOR 14
    VECTOR 15
    .org process_vectors + 0x80 * 16

    .text

// Serves an exception of user mode or of the kernel. If process_exception returns, it has removed the cause. Interrupts are
// enabled again once the exception's registers are read, because they were enabled in user mode and in the routines that access
// its memory. Any other exception of the kernel is a panic, with interrupts disabled.
    .macro EXCEPTION_SERVE routine
    stp x1, x2, [sp, #FRAME_ADDRESS]
    mrs x2, esr_el1
    str x2, [sp, #FRAME_NUMBER]
    mrs x1, far_el1
    mov x0, sp
    msr daifclr, #2
    bl \routine
    msr daifset, #2
    ldr x1, [sp, #FRAME_STATE]
    .endm

    .type user_exception, %function
user_exception:
    cmp x27, #CLASS_FPU
    b.eq user_fpu_trap
    FRAME_SAVE
    KERNEL_REGISTERS GATE_OPEN_WORD
    EXCEPTION_SERVE process_exception
    USER_RETURN

// The first use of floating point in a turn. It is handled like an interrupt.
    .type user_fpu_trap, %function
user_fpu_trap:
    FRAME_SAVE
    KERNEL_REGISTERS GATE_CLOSED_ONCE
    stp x1, x2, [sp, #FRAME_ADDRESS]
    msr daifclr, #2
    bl fpu_take
    msr daifset, #2
    ldr x1, [sp, #FRAME_STATE]
    subs w28, w28, #1
    b.eq user_interrupt_catch_up
    b user_interrupt_return

// Saves nothing until this code knows that the stack is not the cause of the exception.
    .type kernel_exception, %function
kernel_exception:
    mrs x9, elr_el1
    adr x10, user_access
    sub x9, x9, x10
    cmp x9, #user_access_end - user_access
    mov x9, #4
    b.hs exception
    ZERO 9, 10
    FRAME_SAVE
    EXCEPTION_SERVE process_kernel_exception
    FRAME_RETURN

// The usual switch while a thread of a process runs. The next thread may be a kernel thread, so this first makes the kernel's
// switch the usual one. When this thread runs again, it restores the registers that no kernel code uses, its stack and its
// tables.
    .globl switch_from_process
    .type switch_from_process, %function
switch_from_process:
    mrs x2, sp_el0
    mrs x3, tpidr_el0
    ldr x4, process_current
    stp x30, x4, [sp, #-96]!
    stp x2, x3, [sp, #16]
    stp x9, x10, [sp, #32]
    stp x11, x12, [sp, #48]
    stp x13, x14, [sp, #64]
    stp x15, x18, [sp, #80]
    ldr x2, switch_of_kernel
    adr x3, switch_usual
    adr x4, switch_to
    str x2, [x3]
    str x2, [x4]
    blr x2
    adr x2, switch_from_process
    adr x3, switch_usual
    adr x4, switch_to
    str x2, [x3]
    str x2, [x4]
    ldp x2, x3, [sp, #16]
    ldp x9, x10, [sp, #32]
    ldp x11, x12, [sp, #48]
    ldp x13, x14, [sp, #64]
    ldp x15, x18, [sp, #80]
    msr sp_el0, x2
    msr tpidr_el0, x3
    ldp x30, x4, [sp], #96
    adr x3, process_current
    ldr x2, [x3]
    cmp x2, x4
    b.eq 1f
    str x4, [x3]
    ldr x4, [x4, #PROCESS_ROOT]
    msr ttbr0_el1, x4
    isb
1:  ret

// A call of a server: the handle is in x0, the request in x1, and seven arguments in x2 to x7 and x9. The server starts with the
// routine in x8, and with the request and the arguments in x0 to x7; all other registers are zeroed. The caller's registers are
// saved on this stack; until the return, the thread's further entries into the kernel use the stack below them. They are saved
// before the server knows the thread, because the server may end at any time after that.
    .globl call_server_call
    .type call_server_call, %function
call_server_call:
    stp x29, x30, [sp, #-SERVER_CALL_BYTES]!
    stp x19, x20, [sp, #16]
    stp x21, x22, [sp, #32]
    stp x23, x24, [sp, #48]
    stp x25, x26, [sp, #64]
    mrs x16, sp_el0
    mrs x17, tpidr_el0
    stp x16, x17, [sp, #80]
    stp x1, x2, [sp, #-64]!
    stp x3, x4, [sp, #16]
    stp x5, x6, [sp, #32]
    str x7, [sp, #48]
    add x1, sp, #64
    bl server_enter
    cbz x0, 1f
    ldr x8, [x0, #VISIT_ROUTINE]
    ldr x16, [x0, #VISIT_START]
    ldr x17, [x0, #VISIT_STACK]
    mov x7, x9
    ldr x6, [sp, #48]
    ldp x4, x5, [sp, #32]
    ldp x2, x3, [sp, #16]
    ldp x0, x1, [sp], #64
    msr sp_el0, x17
    msr tpidr_el0, xzr
    ZERO 9, 10, 11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 29, 30
    msr daifset, #2
    msr elr_el1, x16
    msr spsr_el1, xzr
    ZERO 16, 27, 28
    eret
1:  add sp, sp, #64
    ldp x29, x30, [sp], #SERVER_CALL_BYTES
    ret

// The return from a server, with the result in x0.
    .globl call_server_return
    .type call_server_return, %function
call_server_return:
    stp x0, x30, [sp, #-16]!
    bl server_leave
    tst w0, #1
    ldp x0, x30, [sp], #16
    b.eq 1f
    add sp, sp, #SYSTEM_CALL_BYTES
server_caller_go_on:
    ldp x16, x17, [sp, #80]
    msr sp_el0, x16
    msr tpidr_el0, x17
    ldp x19, x20, [sp, #16]
    ldp x21, x22, [sp, #32]
    ldp x23, x24, [sp, #48]
    ldp x25, x26, [sp, #64]
    ldp x29, x30, [sp], #SERVER_CALL_BYTES
    ZERO 9, 10, 11, 12, 13, 14, 15, 18
    ret
1:  mov x0, #0
    ret

// The thread is in a server that has ended: its call returns without a result. A thread that was not running when the server
// ended continues at server_visitor, with the gate closed.
    .globl server_visitor, server_return_home
    .type server_visitor, %function
server_visitor:
    bl server_visitor_begin
    .type server_return_home, %function
server_return_home:
    bl server_call_failed
    mov sp, x0
    mov x0, #0
    b server_caller_go_on

// process_go(start, stack, argument, argument, stack for the kernel): the thread enters user mode for the first time.
    .globl process_go
    .type process_go, %function
process_go:
    mov sp, x4
    msr sp_el0, x1
    msr tpidr_el0, xzr
    ZERO 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 29, 30
    msr daifset, #2
    msr elr_el1, x0
    msr spsr_el1, xzr
    mov x0, x2
    mov x1, x3
    ZERO 2, 3, 4, 27, 28
    eret

// translation_use(root): uses page tables for addresses of 48 bits from here on. While the MMU is off, it accesses no memory;
// this code has the same address with the MMU on and off.
    .globl translation_use
    .type translation_use, %function
translation_use:
    mrs x1, sctlr_el1
    bic x2, x1, #CONTROL_MMU
    mov x3, #TRANSLATION_48 & 0xFFFF
    movk x3, #TRANSLATION_48 >> 16, lsl #16
    dsb sy
    msr sctlr_el1, x2
    isb
    msr tcr_el1, x3
    msr ttbr0_el1, x0
    isb
    tlbi vmalle1
    dsb sy
    isb
    msr sctlr_el1, x1
    isb
    ret

// user_copy_in(to, from, bytes), user_copy_out(to, from, bytes): true if all of the memory was accessible. user_touch(address):
// true if the address is writable; changes nothing. user_compare_exchange(address, expected, value): true if the address was
// writable; *expected, in the kernel's memory, becomes the old value. user_copy_text(to, from, room): the length without the
// final zero; room if there was no zero; MAXDWORD if not all of it was readable. They access the process's memory with the
// permissions of user mode, and fail at a page that is missing or read-only (fault.c).
    .macro USER_COPY load, load_byte, store, store_byte
    b 2f
1:  \load x3, [x1]
    \store x3, [x0]
    add x1, x1, #8
    add x0, x0, #8
2:  subs x2, x2, #8
    b.hs 1b
    adds x2, x2, #8
    b.eq 4f
3:  \load_byte w3, [x1]
    \store_byte w3, [x0]
    add x1, x1, #1
    add x0, x0, #1
    subs x2, x2, #1
    b.ne 3b
4:  mov w0, #1
    ret
    .endm

    .globl user_access, user_access_end, user_copy_in, user_copy_out, user_touch, user_compare_exchange, user_copy_text
    .type user_access, %function
user_access:
    .type user_copy_in, %function
user_copy_in:
    USER_COPY ldtr, ldtrb, str, strb
    .type user_copy_out, %function
user_copy_out:
    USER_COPY ldr, ldrb, sttr, sttrb
// The read allocates a page that is not there yet. The CPU then tells whether the address is writable, without a write.
    .type user_touch, %function
user_touch:
    ldtrb w1, [x0]
    msr daifset, #2
    at s1e0w, x0
    isb
    mrs x1, par_el1
    msr daifclr, #2
    tst x1, #1
    cset w0, eq
    ret
// There is one CPU and interrupts are disabled, so nothing comes between read and write. The read faults before anything has
// changed. An unexpected value is written back.
    .type user_compare_exchange, %function
user_compare_exchange:
    ldr w3, [x1]
    msr daifset, #2
    ldtr w4, [x0]
    cmp w4, w3
    csel w2, w2, w4, eq
    sttr w2, [x0]
    msr daifclr, #2
    str w4, [x1]
    mov w0, #1
    ret
    .type user_copy_text, %function
user_copy_text:
    mov w3, #0
1:  cmp w3, w2
    b.eq 2f
    ldtrb w4, [x1]
    strb w4, [x0, w3, uxtw]
    add x1, x1, #1
    add w3, w3, #1
    cbnz w4, 1b
    sub w3, w3, #1
2:  mov w0, w3
    ret
user_access_end:
    .globl user_copy_failed, user_text_failed
    .type user_copy_failed, %function
user_copy_failed:
    msr daifclr, #2
    mov w0, #0
    ret
    .type user_text_failed, %function
user_text_failed:
    mov w0, #-1
    ret

    .section .note.GNU-stack, "", %progbits
