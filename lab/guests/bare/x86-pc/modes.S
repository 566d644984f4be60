/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Executes known numbers of instructions in both modes. The guest waits in user mode. The handler's KERNEL-th instruction returns
 * to user mode, where the MODES-th instruction raises APP. Before APP falls, it executes 3 more instructions in user mode, and a
 * call of CALL instructions in kernel mode.
 */
#include "bare.h"

#define KERNEL 20
#define CALL 50
#define CALL_VECTOR 0x40
#define USER_CODE_SEGMENT 0x1B /* including the privilege level */
#define USER_DATA_SEGMENT 0x23
#define TASK_SEGMENT 0x28
#define FLAGS_INTERRUPTS_AND_PORTS 0x3200 /* interrupts on; level 3 may use ports */

handler:
    push %eax
    interrupt_end
    movl $answer, 4(%esp)
    pop %eax
    .rept KERNEL - 6
    nop
    .endr
    iret

called:
    .rept CALL - 1
    nop
    .endr
    iret

answer:
    .rept MODES - 2
    nop
    .endr
    mov $CONNECTOR_LINE_APP, %al
    out %al, %dx
    int $CALL_VECTOR
    mov $0, %al
    out %al, %dx
wait:
    inc %ecx
    jmp wait

main:
    mov $called, %eax
    mov $gates + 8 * CALL_VECTOR, %edi
    mov %ax, (%edi)
    movw $CODE_SEGMENT, 2(%edi)
    movw $0xEE00, 4(%edi)
    shr $16, %eax
    mov %ax, 6(%edi)
    mov $task, %eax
    mov %ax, task_descriptor + 2
    shr $16, %eax
    mov %al, task_descriptor + 4
    movl $DATA_SEGMENT, task + 8
    movl $stack_top, task + 4
    lgdt all_segments_pointer
    mov $TASK_SEGMENT, %eax
    ltr %ax
    port_arm
    mov $USER_DATA_SEGMENT, %eax
    mov %eax, %ds
    mov %eax, %es
    push %eax
    push $user_stack_top
    push $FLAGS_INTERRUPTS_AND_PORTS
    push $USER_CODE_SEGMENT
    push $wait
    iret

    .balign 8
all_segments:
    .quad 0, 0x00CF9A000000FFFF, 0x00CF92000000FFFF, 0x00CFFA000000FFFF, 0x00CFF2000000FFFF
task_descriptor:
    .quad 0x0000890000000067
all_segments_pointer:
    .word . - all_segments - 1
    .long all_segments

    .bss
    .balign 16
task:
    .skip 104
    .skip 256
user_stack_top:
