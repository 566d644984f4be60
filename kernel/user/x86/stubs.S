// SPDX-License-Identifier: MIT OR Apache-2.0
// What a program in user mode calls: for each line of the table of system calls a function of that name, and its start.
#include "process/calls.h"

    .text
    .set number, 0
.macro STUB name
    .globl \name
    .type \name, @function
\name:
    movl $number, %eax
    movq %rcx, %r10
    syscall
    ret
    .set number, number + 1
.endm

    .set number, 0
#define NUMBERED(name, shape) .set number_##name, number; .set number, number + 1;
    SYSTEM_CALLS(NUMBERED)
    .set number, 0
#define STUBBED(name, shape) STUB name;
    SYSTEM_CALLS(STUBBED)

// Any number with any arguments: system_call_any(number, five arguments).
    .globl system_call_any
    .type system_call_any, @function
system_call_any:
    movl %edi, %eax
    movq %rsi, %rdi
    movq %rdx, %rsi
    movq %rcx, %rdx
    movq %r8, %r10
    movq %r9, %r8
    xorl %r9d, %r9d
    syscall
    ret

// CallServer: the last three arguments lie on the stack, and go in registers that a call preserves.
    .globl CallServer
    .type CallServer, @function
CallServer:
    pushq %r12
    pushq %r13
    pushq %r14
    movq 32(%rsp), %r12
    movq 40(%rsp), %r13
    movq 48(%rsp), %r14
    movq %rcx, %r10
    movl $number_server_call, %eax
    syscall
    popq %r14
    popq %r13
    popq %r12
    ret

// Where a thread comes into a server: the routine in rbx, and its arguments where the kernel leaves them.
    .globl server_start
    .type server_start, @function
server_start:
    movq %r8, %rcx
    movq %r9, %r8
    movq %r12, %r9
    pushq $0 // its id; and a call finds the stack at a multiple of 16
    pushq %r14
    pushq %r13
    call *%rbx
    movq %rax, %rdi
    movl $number_server_return, %eax
    syscall
    ud2

    .globl program_start
    .type program_start, @function
program_start:
    pushq $0 // its id; and a call finds the stack as far from a multiple of 16 as this began
    call program_main
    movl %eax, %edi
    call ExitProcess
    ud2

// Every other thread, with its routine and what that gets.
    .globl thread_start
    .type thread_start, @function
thread_start:
    pushq $0
    movq %rdi, %rax
    movq %rsi, %rdi
    call *%rax
    movl %eax, %edi
    call ExitThread
    ud2

    .section .note.GNU-stack, "", @progbits
