// SPDX-License-Identifier: MIT OR Apache-2.0
// What ports/main.c needs from a PC: the initialization order, the boot loader's command line, and the end of the machine.
#ifndef DETENT_MAIN_INLINE_H
#define DETENT_MAIN_INLINE_H

#include "machine.h"

#define MULTIBOOT_COMMAND_LINE 0x4 // bit in the flags word
#define DEBUG_EXIT 0xF4            // QEMU's isa-debug-exit: the process ends with 2 * value + 1
#define EXIT_PASSED 0x10
#define EXIT_FAILED 0x11

extern uint32_t boot_information;

static const char *boot_command_line(void)
{
    const struct multiboot_information *information = (const void *)(uintptr_t)boot_information;
    return information->flags & MULTIBOOT_COMMAND_LINE ? (const char *)(uintptr_t)information->command_line : "";
}

static inline void machine_init(void)
{
    serial_init();
    segments_init();
    memory_init((const void *)(uintptr_t)boot_information);
    apic_init();
    tsc_init();
}

static inline void interrupts_nest(bool nest)
{
    segments_nesting(nest);
}

// Without the exit port, the CPU stops here.
static inline _Noreturn void machine_exit(bool failed)
{
    out8(DEBUG_EXIT, failed ? EXIT_FAILED : EXIT_PASSED);
    for (;;)
        __asm__ volatile("hlt");
}

#endif
