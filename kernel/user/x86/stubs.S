// SPDX-License-Identifier: MIT OR Apache-2.0
// The functions of a program in user mode that are assembly: one for each system call, and the start of programs, threads and
// servers.
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

// system_call_any(number, five arguments): a system call with any number.
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

// The last three arguments of CallServer are on the stack; they go into registers that a call preserves, so these are saved.
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

// A thread that enters a server starts here, with the routine in rbx and its arguments where the kernel leaves them.
    .globl server_start
    .type server_start, @function
server_start:
    movq %r8, %rcx
    movq %r9, %r8
    movq %r12, %r9
    pushq $0 // room for the thread's id; also aligns the stack to 16 for the call
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
    pushq $0 // room for the thread's id; also keeps the stack's alignment for the call
    call program_main
    movl %eax, %edi
    call ExitProcess
    ud2

// Every other thread starts here, with its routine and the routine's argument.
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
