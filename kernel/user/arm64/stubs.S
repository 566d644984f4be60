// SPDX-License-Identifier: MIT OR Apache-2.0
// The functions of a program in user mode that are assembly: one for each system call, and the start of programs, threads and
// servers.
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

// system_call_any(number, five arguments): a system call with any number.
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

// The last argument of CallServer is on the stack.
    .globl CallServer
    .type CallServer, %function
CallServer:
    ldr x9, [sp]
    mov w8, #number_server_call
    svc #0
    ret

// A stack begins eight bytes above a multiple of 16. This makes room for the thread's id.
.macro STACK_BEGIN
    sub sp, sp, #8
    str xzr, [sp]
.endm

// A thread that enters a server starts here, with the routine in x8 and its arguments as in a call.
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

// Every other thread starts here, with its routine and the routine's argument.
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
