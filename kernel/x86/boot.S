// SPDX-License-Identifier: MIT OR Apache-2.0
// Starts as the boot loader leaves the machine (multiboot 1: 32-bit protected mode, no paging), and calls kernel_main in long
// mode. Multiboot specification 0.6.96, chapter 3; AMD64 Architecture Programmer's Manual volume 2, 14.6.
#include "machine.h"

#define MULTIBOOT_MAGIC 0x1BADB002
#define MULTIBOOT_FLAGS 0x00010003 // page-aligned modules, memory map, addresses given here
#define PAGE_LARGE 0x83            // present, writable, 2 MiB
#define PAGE_DEVICE 0x9B           // the same, uncached
#define PAGE_TABLE 0x03

    .section .multiboot, "a"
    .balign 4
header:
    .long MULTIBOOT_MAGIC, MULTIBOOT_FLAGS, -(MULTIBOOT_MAGIC + MULTIBOOT_FLAGS)
    .long header, image_start, image_end, bss_end, boot

    .section .text.boot, "ax"
    .code32
    .globl boot
    .type boot, @function
boot:
    cli
    movl $boot_stack + BOOT_STACK_BYTES, %esp
    movl %ebx, boot_information

    // Identity-maps four GiB in large pages. The fourth, which has the devices, is uncached.
    movl $page_directories, %edi
    movl $PAGE_LARGE, %eax
1:  cmpl $0xC0000000 | PAGE_LARGE, %eax
    jb 2f
    orl $PAGE_DEVICE, %eax
2:  movl %eax, (%edi)
    movl $0, 4(%edi)
    addl $8, %edi
    addl $0x200000, %eax
    jnc 1b

    movl $page_pointers, %edi
    movl $page_directories + PAGE_TABLE, %eax
    movl $4, %ecx
3:  movl %eax, (%edi)
    addl $8, %edi
    addl $0x1000, %eax
    loop 3b
    // Maps the fourth GiB again at the top of the address space, and the first GiB below it.
    movl $page_pointers, %edi
    movl $page_directories + 0x3000 + PAGE_TABLE, 511 * 8(%edi)
    movl $page_pointers + PAGE_TABLE, page_root
    movl $page_pointers + PAGE_TABLE, page_root + 511 * 8

    movl $page_root, %eax
    movl %eax, %cr3
    movl %cr4, %eax
    orl $0x620, %eax // PAE, and SSE: OSFXSR, OSXMMEXCPT
    movl %eax, %cr4
    movl $0xC0000080, %ecx // EFER
    rdmsr
    orl $0x100, %eax // LME
    wrmsr
    movl %cr0, %eax
    movl $CR0_FPU_TRAPS, %eax
    movl %eax, %cr0
    lgdt boot_gdt_pointer
    ljmp $SELECTOR_CODE, $long_mode

    .code64
long_mode:
    movw $SELECTOR_DATA, %ax
    movw %ax, %ds
    movw %ax, %es
    movw %ax, %ss
    movw %ax, %fs
    movw %ax, %gs
    movl $boot_stack + BOOT_STACK_BYTES, %esp
    xorl %ebp, %ebp
    call kernel_main
    ud2

    .section .rodata
    .balign 8
boot_gdt:
    .quad 0, 0x00AF9B000000FFFF, 0x00CF93000000FFFF
boot_gdt_pointer:
    .word . - boot_gdt - 1
    .long boot_gdt, 0

    .section .bss
    .balign 4096
page_root:
    .skip 4096
page_pointers:
    .skip 4096
    .globl page_directories
page_directories:
    .skip 4 * 4096
    .globl boot_stack
boot_stack:
    .skip BOOT_STACK_BYTES
    .globl boot_information
boot_information:
    .skip 8

    .section .note.GNU-stack, "", @progbits
