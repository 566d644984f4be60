// SPDX-License-Identifier: MIT OR Apache-2.0
// Enters the kernel from user mode, returns to it, and switches between threads of different processes. AMD64 Architecture
// Programmer's Manual volume 2, 6.1 (SYSCALL, SYSRET), 8.9 (stack frames), 12.2.5 (TSS).
#include "process/calls.h"
#include "process/layout.h"
#include "process/x86/registers.h"
#include "x86/frame.inc"

    .set system_calls_count, 0
#define COUNTED(name, shape) .set system_calls_count, system_calls_count + 1;
    SYSTEM_CALLS(COUNTED)

    .text

// The usual switch while a thread of a process runs. The next thread may be a kernel thread, so this first makes the kernel's
// switch the usual one. When this thread runs again, it restores its kernel stack and its tables.
    .globl switch_from_process
    .type switch_from_process, @function
switch_from_process:
    pushq process_current
    pushq process_tss + TSS_KERNEL_STACK
    movq switch_of_kernel, %rax
    movq %rax, switch_usual
    movq %rax, switch_to
    call *%rax
    movq $switch_from_process, switch_usual
    movq $switch_from_process, switch_to
    popq process_tss + TSS_KERNEL_STACK
    popq %rax
    cmpq %rax, process_current
    je 1f
    movq %rax, process_current
    movq PROCESS_ROOT(%rax), %rax
    movq %rax, %cr3
1:  ret

// A system call: its number is in eax, its arguments in rdi, rsi, rdx, r10, r8 and r9, the result in rax. Interrupts are disabled
// while the stack is the user's. It returns no other kernel value in registers.
    .globl system_call
    .type system_call, @function
system_call:
    movq %rsp, user_stack
    movq process_tss + TSS_KERNEL_STACK, %rsp
    sti
    pushq user_stack
    pushq %rcx
    pushq %r11
    cmpl $system_calls_count, %eax
    jae 2f
    movq %r10, %rcx
    call *system_calls(,%rax,8)
1:  popq %r11
    popq %rcx
    xorl %edx, %edx
    xorl %esi, %esi
    xorl %edi, %edi
    xorl %r8d, %r8d
    xorl %r9d, %r9d
    xorl %r10d, %r10d
    cli
    popq %rsp
    sysretq
2:  call system_call_unknown
    jmp 1b

// A call of a server: the handle is in rdi, the request in rsi, and seven arguments in rdx, r10, r8, r9, r12, r13 and r14. The
// server starts with the routine in rbx, the request in rdi, the first two arguments in rsi and rdx, and the others where they
// were. The caller's registers are saved on this stack; until the return, the thread's further entries into the kernel use the
// stack below them. They are saved before the server knows the thread, because the server may end at any time after that.
    .globl call_server_call
    .type call_server_call, @function
call_server_call:
    .irp register, rbx, rbp, r12, r13, r14, r15
    pushq %\register
    .endr
    pushq process_tss + TSS_KERNEL_STACK
    .irp register, rsi, rdx, rcx, r8, r9
    pushq %\register
    .endr
    leaq 8 * 5(%rsp), %rsi
    call server_enter
    .irp register, r9, r8, rdx, rsi, rdi
    popq %\register
    .endr
    testq %rax, %rax
    jz 1f
    movq %rsp, process_tss + TSS_KERNEL_STACK
    movq VISIT_ROUTINE(%rax), %rbx
    movq VISIT_START(%rax), %rcx
    movl VISIT_FLAGS(%rax), %r11d
    movq VISIT_STACK(%rax), %rax
    xorl %ebp, %ebp
    xorl %r10d, %r10d
    xorl %r15d, %r15d
    cli
    movq %rax, %rsp
    sysretq
1:  addq $8 * 7, %rsp
    ret

// The return from a server, with the result in rdi.
    .globl call_server_return
    .type call_server_return, @function
call_server_return:
    pushq %rdi
    call server_leave
    testb %al, %al
    popq %rax
    jz 1f
    movq process_tss + TSS_KERNEL_STACK, %rsp
server_caller_go_on:
    popq process_tss + TSS_KERNEL_STACK
    .irp register, r15, r14, r13, r12, rbp, rbx
    popq %\register
    .endr
    ret
1:  xorl %eax, %eax
    ret

// The thread is in a server that has ended: its call returns without a result. A thread that was not running when the server
// ended continues at server_visitor, with the gate closed.
    .globl server_visitor, server_return_home
    .type server_visitor, @function
server_visitor:
    call server_visitor_begin
    .type server_return_home, @function
server_return_home:
    call server_call_failed
    movq %rax, %rsp
    xorl %eax, %eax
    jmp server_caller_go_on

// process_go(start, stack, argument, argument, flags): the thread enters user mode for the first time.
    .globl process_go
    .type process_go, @function
process_go:
    movl %r8d, %r11d
    movq %rdx, %rax
    xchgq %rdi, %rcx
    movq %rdi, %r8
    movq %rax, %rdi
    movq %rsi, %rax
    movq %r8, %rsi
    xorl %edx, %edx
    xorl %ebx, %ebx
    xorl %ebp, %ebp
    .irp register, r8, r9, r10, r12, r13, r14, r15
    xorl %\register\()d, %\register\()d
    .endr
    cli
    movq %rax, %rsp
    xorl %eax, %eax
    sysretq

// SMAP denies the kernel access to a process's memory. On a CPU with SMAP, modes.c replaces each of these instructions
// by STAC or CLAC; the table has the last byte of the replacement. On other CPUs, the instruction does nothing.
    .macro USER_MEMORY last_byte
    .pushsection .rodata
    .quad 9f, \last_byte
    .popsection
9:  nopl (%rax)
    .endm
#define STAC 0xCB
#define CLAC 0xCA
    .pushsection .rodata
    .globl user_memory, user_memory_end
user_memory:
    .popsection

// user_copy(to, from, bytes): true if all of the memory was accessible. user_touch(address): true if the address is writable;
// changes nothing. user_compare_exchange(address, expected, value): true if the address was writable; *expected, in the kernel's
// memory, becomes the old value. user_copy_text(to, from, room): the length without the final zero; room if there was no zero;
// MAXDWORD if not all of it was readable. They fail at a user's page that is missing or read-only (fault.c).
    .globl user_access, user_access_end, user_copy, user_touch, user_compare_exchange, user_copy_text
    .type user_access, @function
user_access:
    .type user_copy, @function
user_copy:
    movq %rdx, %rcx
    USER_MEMORY STAC
    rep movsb
    USER_MEMORY CLAC
    movl $1, %eax
    ret
    .type user_touch, @function
user_touch:
    USER_MEMORY STAC
    addb $0, (%rdi)
    USER_MEMORY CLAC
    movl $1, %eax
    ret
    .type user_compare_exchange, @function
user_compare_exchange:
    movl (%rsi), %eax
    USER_MEMORY STAC
    cmpxchgl %edx, (%rdi)
    USER_MEMORY CLAC
    movl %eax, (%rsi)
    movl $1, %eax
    ret
    .type user_copy_text, @function
user_copy_text:
    xorl %ecx, %ecx
    USER_MEMORY STAC
1:  cmpl %edx, %ecx
    je 2f
    movb (%rsi,%rcx), %al
    movb %al, (%rdi,%rcx)
    incl %ecx
    testb %al, %al
    jnz 1b
    decl %ecx
2:  USER_MEMORY CLAC
    movl %ecx, %eax
    ret
user_access_end:
    .globl user_copy_failed, user_text_failed
    .type user_copy_failed, @function
user_copy_failed:
    USER_MEMORY CLAC
    xorl %eax, %eax
    ret
    .type user_text_failed, @function
user_text_failed:
    USER_MEMORY CLAC
    movl $-1, %eax
    ret
    .pushsection .rodata
user_memory_end:
    .popsection

// Serves an exception of user mode or of the kernel. If process_exception returns, it has removed the cause. Interrupts are
// enabled again once the address of a page fault is read, because they were enabled in user mode and in the routines that access
// its memory. Any other exception of the kernel is a panic, with interrupts disabled.
    .globl process_exceptions
    .type process_exceptions, @function
process_exceptions:
    .set vector, 0
    .rept EXCEPTIONS
    .if (EXCEPTIONS_WITH_ERROR >> vector & 1) == 0
    pushq $0
    .endif
    pushq $vector
    jmp process_exception_any
    .org process_exceptions + PROCESS_EXCEPTION_BYTES * (vector + 1)
    .set vector, vector + 1
    .endr
    .type process_exception_any, @function
process_exception_any:
    pushq %rax
    movq %cr2, %rax
    testb $3, 8 * 4(%rsp)
    jz 2f
    sti
    INTERRUPT_SAVE 1
    leaq 8 * ENTRY_REGISTERS(%rsp), %rdi
    movq %rax, %rsi
    call process_exception
1:  INTERRUPT_RESTORE
    addq $16, %rsp
    iretq
2:  cmpq $user_access, 8 * 3(%rsp)
    jb 3f
    cmpq $user_access_end, 8 * 3(%rsp)
    jae 3f
    sti
3:  INTERRUPT_SAVE 1
    leaq 8 * ENTRY_REGISTERS(%rsp), %rdi
    movq %rax, %rsi
    call process_kernel_exception
    jmp 1b

    .bss
    .balign 8
user_stack:
    .skip 8

    .section .note.GNU-stack, "", @progbits
