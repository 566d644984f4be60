// SPDX-License-Identifier: MIT OR Apache-2.0
// The order in which the machine comes up; then the boot stack is the idle thread's.
#include "core/panic.h"
#include "core/profile.h"
#include "core/ready.h"
#include "port.h"
#include "machine.h"
#include "programs/programs.h"

#define MULTIBOOT_COMMAND_LINE 0x4 // bit in the flags word
#define DEBUG_EXIT 0xF4            // QEMU's isa-debug-exit: the process ends with 2 * value + 1
#define EXIT_PASSED 0x10
#define EXIT_FAILED 0x11

extern uint32_t boot_information;

struct multiboot_information {
    uint32_t flags, memory_low, memory_high, boot_device, command_line;
};

static const char *boot_command_line(void)
{
    const struct multiboot_information *information = (const void *)(uintptr_t)boot_information;
    return information->flags & MULTIBOOT_COMMAND_LINE ? (const char *)(uintptr_t)information->command_line : "";
}

_Static_assert(offsetof(struct thread, stack_pointer) == THREAD_STACK_POINTER, "what switch_to in entry.S knows of it");

void *stack_prepare(void *top)
{
    void **stack = (void **)top - 8; // six registers, where to begin, and what a call would have pushed
    for (unsigned i = 0; i < 8; i++)
        stack[i] = NULL;
    stack[6] = (void *)thread_begin;
    return stack;
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
