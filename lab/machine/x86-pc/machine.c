/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A PC: the connector is two parallel ports in the I/O space, and the generators pulse on their ISA interrupts.
 *
 * AMD64 Architecture Programmer's Manual volume 2: flags, selectors; volume 3: HLT, MWAIT.
 */
#include "../machine.h"

#include <string.h>

#include "../../../wire/connector.h"

/* Register numbers in the emulator's debugger interface. */
enum { REGISTER_RAX = 0, REGISTER_RIP = 16, REGISTER_FLAGS = 17, REGISTER_CS = 18 };

enum { FLAG_INTERRUPTS_ON = 1 << 9, SELECTOR_LEVEL = 3, USER_LEVEL = 3 };

static const unsigned ISA_INTERRUPT[] = {CONNECTOR_A_IRQ, CONNECTOR_B_IRQ};

static void *(*isa_irq)(void *device, unsigned number);

static const struct emulator_name NAMES[] = {
    {&isa_irq, {"isa_get_irq", NULL}},
    {&emulator.space, {"get_system_io", NULL}},
    {&emulator.register_read, {"x86_cpu_gdb_read_register", NULL}},
};

static void *line(unsigned index)
{
    return isa_irq(NULL, ISA_INTERRUPT[index]);
}

static bool halts(const uint8_t *bytes, size_t count)
{
    static const uint8_t HLT[] = {0xF4}, MWAIT[] = {0x0F, 0x01, 0xC9};
    return (count == sizeof HLT && memcmp(bytes, HLT, sizeof HLT) == 0)
           || (count == sizeof MWAIT && memcmp(bytes, MWAIT, sizeof MWAIT) == 0);
}

static bool interrupts_on(void)
{
    return emulator_register(REGISTER_FLAGS) & FLAG_INTERRUPTS_ON;
}

static uint64_t program_counter(bool *on)
{
    *on = interrupts_on();
    return emulator_register(REGISTER_RIP);
}

/* Only cli masks later instructions of its block; every other instruction that changes the flag ends its block. */
static bool masks(const uint8_t *bytes, size_t count)
{
    static const uint8_t CLI = 0xFA;
    return count == 1 && bytes[0] == CLI;
}

/* These instructions unmask interrupts: sti, popf, iret, sysret. The instruction after a sti has a block of its own. */
static enum machine_unmasks unmasks(const uint8_t *bytes, size_t count)
{
    enum { STI = 0xFB, POPF = 0x9D, IRET = 0xCF, WIDE = 0x48, TWO_BYTES = 0x0F, SYSRET = 0x07 };
    if (count > 1 && bytes[0] == WIDE) {
        bytes++;
        count--;
    }
    if (count == 2 && bytes[0] == TWO_BYTES && bytes[1] == SYSRET)
        return UNMASKS_RETURNING;
    if (count != 1)
        return UNMASKS_NEVER;
    switch (bytes[0]) {
    case STI:
        return UNMASKS_LATE;
    case POPF:
        return UNMASKS_HERE;
    case IRET:
        return UNMASKS_RETURNING;
    default:
        return UNMASKS_NEVER;
    }
}

/* In real mode there are no privilege levels, and the selector's bits have another meaning. */
static bool in_user_mode(void)
{
    return (emulator_register(REGISTER_CS) & SELECTOR_LEVEL) == USER_LEVEL;
}

/* The low half of the result of rdtsc, which is in the accumulator. */
static uint32_t stamp(void)
{
    return (uint32_t)emulator_register(REGISTER_RAX);
}

extern const struct machine MACHINE_X86_PC;
const struct machine MACHINE_X86_PC = {
    .target = "x86_64",
    .names = NAMES,
    .name_count = sizeof NAMES / sizeof NAMES[0],
    .connector_at = 0,
    .line = line,
    .halts = halts,
    .program_counter = program_counter,
    .in_user_mode = in_user_mode,
    .interrupts_on = interrupts_on,
    .masks = masks,
    .unmasks = unmasks,
    .register_count = REGISTER_FLAGS + 1,
    .heavy = heavy_of,
    .stamp = stamp,
};
