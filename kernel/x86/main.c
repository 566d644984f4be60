// SPDX-License-Identifier: MIT OR Apache-2.0
// The order in which the machine comes up; then the boot stack is the idle thread's.
#include "core/create.h"
#include "core/panic.h"
#include "core/profile.h"
#include "core/ready.h"
#include "core/start.h"
#include "machine.h"
#include "port.h"
#include "programs/programs.h"
#include "programs/prompt.h"

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

_Noreturn void machine_stop(bool failed)
{
    interrupts_mask();
    out8(DEBUG_EXIT, failed ? EXIT_FAILED : EXIT_PASSED);
    for (;;)
        __asm__ volatile("hlt");
}

_Noreturn void kernel_main(void);

_Noreturn void kernel_main(void)
{
    serial_init();
    segments_init();
    memory_init((const void *)(uintptr_t)boot_information);
    apic_init();
    tsc_init();
    programs_init(boot_command_line());
    segments_nesting(profile.nesting);
    kernel_init();
    interrupts_unmask();
    clock_start();
    if (thread_create(programs_main, NULL, PROGRAMS_PRIORITY, false) == NULL)
        panic(__func__, "no thread for the prompt");
    idle_run();
}
