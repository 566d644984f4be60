// SPDX-License-Identifier: MIT OR Apache-2.0
// What ports/main.c needs from an arm64 board: the initialization order, the boot loader's command line, and the end of the
// machine. Arm Semihosting for AArch32 and AArch64, SYS_EXIT; Arm Power State Coordination Interface, SYSTEM_OFF.
#ifndef DETENT_MAIN_INLINE_H
#define DETENT_MAIN_INLINE_H

#include "machine.h"

#define SYS_EXIT 0x18
#define APPLICATION_EXIT 0x20026
#define EXIT_PASSED 33 // the same value as on a PC
#define EXIT_FAILED 35

static const char *command_line;

static const char *boot_command_line(void)
{
    return command_line;
}

static inline void machine_init(void)
{
    command_line = memory_init();
    pages_init();
    gic_init();
    counter_init();
}

static inline void interrupts_nest(bool nest)
{
    gic_nest(nest);
}

// Ends an emulator by a semihosting call, with an exit code that says whether the run failed. On a machine without semihosting,
// the call raises an exception, which switches the machine off.
static inline _Noreturn void machine_exit(bool failed)
{
    uint64_t words[] = {APPLICATION_EXIT, failed ? EXIT_FAILED : EXIT_PASSED};
    machine_stops = true;
    __asm__ volatile("mov x0, %0\n\tmov x1, %1\n\thlt #0xF000" : : "I"(SYS_EXIT), "r"(words) : "x0", "x1", "memory");
    for (;;)
        __asm__ volatile("wfi");
}

#endif
