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

    .globl program_start
    .type program_start, @function
program_start:
    pushq $0 // a call finds the stack as far from a multiple of 16 as this began
    call program_main
    movl %eax, %edi
    call ExitProcess
    ud2

    .section .note.GNU-stack, "", @progbits
