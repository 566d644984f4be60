// SPDX-License-Identifier: MIT OR Apache-2.0
// The boot loader starts this at exception level 2 or 1, with the MMU off. It calls kernel_main at level 1, with the MMU and the
// caches on. x0 is the address of the device tree; 0: it is at the beginning of memory. Arm Architecture Reference Manual for
// A-profile, D5 (translation), D13.2 (registers).
#include "machine.h"

#define MEMORY_ATTRIBUTES 0xFF // 0: normal memory, write-back; 1: device memory
#define TRANSLATION 0x803519   // addresses of 39 bits, 4 KiB pages, tables cached and shareable, no upper half
#define LEVEL_2 (2 << 2)
#define COUNTERS_PERMITTED 0x3
#define CONTROLLER_PERMITTED 0x9
#define CONTROLLER_HAS_REGISTERS 0xF000000 // in ID_AA64PFR0_EL1: the CPU has the registers of a GICv3
#define FLOATING_POINT_PERMITTED 0x33FF // traps nothing: the bits that are set are reserved as one
#define LEVEL_1_IS_64_BITS 0x80000000
#define STATE_LEVEL_1 0x3C5 // with the stack pointer of level 1, all exceptions masked
#define CONTROL_RESET 0x30D00800
#define CONTROL_ON 0x1005      // MMU, data cache, instruction cache

    .section .text.boot, "ax"
    .globl boot
    .type boot, %function
boot:
    msr daifset, #15
    mov x19, x0
    mrs x20, CurrentEL
    cmp x20, #LEVEL_2
    b.ne 3f

    // Gives level 1 everything: the timers, the interrupt controller's registers and floating point.
    mov x0, #COUNTERS_PERMITTED
    msr cnthctl_el2, x0
    msr cntvoff_el2, xzr
    mrs x1, id_aa64pfr0_el1
    tst x1, #CONTROLLER_HAS_REGISTERS
    b.eq 4f
    mov x0, #CONTROLLER_PERMITTED
    msr S3_4_C12_C9_5, x0 // ICC_SRE_EL2
4:  mov x0, #FLOATING_POINT_PERMITTED
    msr cptr_el2, x0
    mov x0, #LEVEL_1_IS_64_BITS
    msr hcr_el2, x0
    ldr x0, =CONTROL_RESET
    msr sctlr_el1, x0
    mov x0, #STATE_LEVEL_1
    msr spsr_el2, x0
    adr x0, 3f
    msr elr_el2, x0
    isb
    eret
3:
    adrp x0, bss_start
    add x0, x0, :lo12:bss_start
    adrp x1, bss_end
    add x1, x1, :lo12:bss_end
1:  stp xzr, xzr, [x0], #16
    cmp x0, x1
    b.lo 1b

    // Identity-maps the device registers in the first GiB and the memory in the second.
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
    bic x1, x1, #2 // an unaligned access causes no exception
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
    adrp x0, boot_level
    str w20, [x0, :lo12:boot_level]
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
    .quad module_end
    .globl boot_module_place
boot_module_place:
    .quad module_start, module_end

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
    .skip 8
    .globl boot_level
boot_level:
    .skip 8

    .section .note.GNU-stack, "", %progbits
