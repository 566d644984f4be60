// SPDX-License-Identifier: MIT OR Apache-2.0
// What a program in user mode calls: for each line of the table of system calls a function of that name, and its start.
#include "process/calls.h"

    .text
    .set number, 0
.macro STUB name
    .globl \name
    .type \name, %function
\name:
    mov w8, #number
    svc #0
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
    .type system_call_any, %function
system_call_any:
    mov x8, x0
    mov x0, x1
    mov x1, x2
    mov x2, x3
    mov x3, x4
    mov x4, x5
    mov x5, #0
    svc #0
    ret

// CallServer: the last argument lies on the stack.
    .globl CallServer
    .type CallServer, %function
CallServer:
    ldr x9, [sp]
    mov w8, #number_server_call
    svc #0
    ret

// A stack begins eight bytes above a multiple of 16 with a place for its thread's id.
.macro STACK_BEGIN
    sub sp, sp, #8
    str xzr, [sp]
.endm

// Where a thread comes into a server: the routine in x8, and its arguments where a call has them.
    .globl server_start
    .type server_start, %function
server_start:
    STACK_BEGIN
    blr x8
    mov w8, #number_server_return
    svc #0
    udf #0

    .globl program_start
    .type program_start, %function
program_start:
    STACK_BEGIN
    bl program_main
    bl ExitProcess
    udf #0

// Every other thread, with its routine and what that gets.
    .globl thread_start
    .type thread_start, %function
thread_start:
    STACK_BEGIN
    mov x2, x0
    mov x0, x1
    blr x2
    bl ExitThread
    udf #0

    .section .note.GNU-stack, "", %progbits
