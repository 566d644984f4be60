// SPDX-License-Identifier: MIT OR Apache-2.0
// From the boot loader (exception level 1, the MMU off) to kernel_main with the MMU and the caches on. x0 is the address of the
// device tree, or 0: then it lies at the beginning of memory. Arm Architecture Reference Manual for A-profile, D5 (translation), D13.2 (registers).
#include "machine.h"

#define MEMORY_ATTRIBUTES 0xFF // 0: usual memory, written back; 1: a device's
#define TRANSLATION 0x803519   // 39 bits of address, 4 KiB pages, tables cached and shareable, no second half
#define CONTROL_ON 0x1005      // MMU, data cache, instruction cache

    .section .text.boot, "ax"
    .globl boot
    .type boot, %function
boot:
    msr daifset, #15
    mov x19, x0
    adrp x0, bss_start
    add x0, x0, :lo12:bss_start
    adrp x1, bss_end
    add x1, x1, :lo12:bss_end
1:  stp xzr, xzr, [x0], #16
    cmp x0, x1
    b.lo 1b

    // Device registers in the first GiB, memory in the second, each at its own address.
    adrp x0, page_root
    mov x1, #BLOCK_DEVICE & 0xFFFF
    movk x1, #BLOCK_DEVICE >> 48, lsl #48
    str x1, [x0]
    adrp x2, page_directory
    orr x1, x2, #PAGE_TABLE
    str x1, [x0, #8]
    mov x1, #BLOCK_MEMORY
    orr x1, x1, #RAM
    mov x3, #512
2:  str x1, [x2], #8
    add x1, x1, #0x200000
    subs x3, x3, #1
    b.ne 2b

    mov x1, #MEMORY_ATTRIBUTES
    msr mair_el1, x1
    ldr x1, =TRANSLATION
    msr tcr_el1, x1
    msr ttbr0_el1, x0
    dsb sy
    tlbi vmalle1
    ic iallu
    dsb sy
    isb
    mrs x1, sctlr_el1
    mov x2, #CONTROL_ON
    orr x1, x1, x2
    bic x1, x1, #2 // what lies across a boundary is no exception
    msr sctlr_el1, x1
    isb

    msr cpacr_el1, xzr // the next use of floating point traps
    msr tpidr_el1, xzr
    adrp x0, vectors
    add x0, x0, :lo12:vectors
    msr vbar_el1, x0
    isb
    adrp x27, isr_table
    add x27, x27, :lo12:isr_table
    mov w28, #0x80000000 // GATE_OPEN
    adrp x0, boot_device_tree
    str x19, [x0, :lo12:boot_device_tree]
    adrp x0, boot_stack + BOOT_STACK_BYTES
    add x0, x0, :lo12:(boot_stack + BOOT_STACK_BYTES)
    mov sp, x0
    mov x29, #0
    mov x30, #0
    b kernel_main

    .section .rodata
    .balign 8
    .globl boot_image_end
boot_image_end:
    .quad bss_end

    .section .bss
    .balign 4096
    .globl page_root
page_root:
    .skip 4096
    .globl page_directory
page_directory:
    .skip 4096
    .globl boot_stack
boot_stack:
    .skip BOOT_STACK_BYTES
    .globl boot_device_tree
boot_device_tree:
    .skip 16

    .section .note.GNU-stack, "", %progbits
