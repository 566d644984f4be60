// SPDX-License-Identifier: MIT OR Apache-2.0
// The panic in which an exception ends. Arm Architecture Reference Manual for A-profile, D13.2.37 (ESR_EL1).
#include "core/panic.h"
#include "machine.h"
#include "port.h"

#define SYNDROME_CLASS_SHIFT 26
#define CLASSES 64
#define SYSTEM_OFF 0x84000008 // a function of PSCI
#define LEVEL_2 (2 << 2)

volatile bool machine_stops;
extern const uint32_t boot_level; // defined in boot.S: the value of CurrentEL

// The firmware runs at an exception level above the one in which the boot loader left the machine.
static _Noreturn void machine_off(void)
{
    register uint64_t call __asm__("x0") = SYSTEM_OFF;
    if (boot_level == LEVEL_2)
        __asm__ volatile("smc #0" : "+r"(call) : : "memory");
    else
        __asm__ volatile("hvc #0" : "+r"(call) : : "memory");
    for (;;)
        __asm__ volatile("wfi");
}

_Noreturn void exception_panic(uint64_t vector, uint64_t syndrome, uint64_t address, uint64_t pc, uint64_t sp)
{
    static const char *const names[CLASSES] = {
        [0x00] = "invalid instruction", [0x21] = "page fault of code", [0x22] = "misaligned code",
        [0x25] = "page fault",          [0x26] = "misaligned stack",   [0x2F] = "error of a device",
        [0x3C] = "breakpoint"};
    unsigned class = syndrome >> SYNDROME_CLASS_SHIFT & (CLASSES - 1);
    const char *name = names[class] != NULL ? names[class] : "exception";
    if (machine_stops)
        machine_off();
    NKDbgPrintfW("\nexception %u (%s), syndrome %llx, address %llx, pc %llx, sp %llx\n", (unsigned)vector, name,
                 (unsigned long long)syndrome, (unsigned long long)address, (unsigned long long)pc,
                 (unsigned long long)sp);
    panic(symbol_name(pc, NULL), stack_is_guard(address) ? "this thread's stack has overflowed" : name);
}
