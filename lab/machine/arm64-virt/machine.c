/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QEMU's `virt` board with arm64: the connector is a page of memory where the board has nothing, and the generators pulse on the
 * first two lines of the board's GPIO controller.
 *
 * Arm Architecture Reference Manual for A-profile: PSTATE (D1.4), WFI, WFIT (C6.2); PrimeCell PL061.
 */
#include "../machine.h"
#include "../virt.h"

#include "../../../wire/connector.h"

/* Register numbers in the emulator's debugger interface. */
enum { REGISTER_PC = 32, REGISTER_PSTATE = 33 };

/* The bit that masks interrupts, and the exception level with its stack pointer, 0 at level 0. */
enum { PSTATE_I = 1 << 7, PSTATE_LEVEL = 0xF };

/* All registers up to PSTATE. */
enum { REGISTERS = REGISTER_PSTATE + 1 };

enum { INSTRUCTION_BYTES = 4 };

static const uint32_t WFI = 0xD503207F, WFIT = 0xD5031020, WFIT_REGISTER = 0x1F;

static const struct emulator_name NAMES[] = {
    VIRT_NAMES,
    {&emulator.register_read, {"aarch64_cpu_gdb_read_register", NULL}},
};

static void *line(unsigned index)
{
    return virt_line("GPIO controller", "pl061", CONNECTOR_ARM64_GPIO + (int)index);
}

static uint32_t code_of(const uint8_t *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static bool halts(const uint8_t *bytes, size_t count)
{
    if (count != INSTRUCTION_BYTES)
        return false;
    uint32_t code = code_of(bytes);
    return code == WFI || (code & ~WFIT_REGISTER) == WFIT;
}

static bool interrupts_on(void)
{
    return !(emulator_register(REGISTER_PSTATE) & PSTATE_I);
}

/*
 * False: the emulator ends a block after each instruction that changes the masking, so no instruction masks later ones of its
 * block.
 */
static bool masks(const uint8_t *bytes, size_t count)
{
    (void)bytes;
    (void)count;
    return false;
}

/* These instructions unmask interrupts: msr daifclr with any mask, msr daif from any register, eret. */
static enum machine_unmasks unmasks(const uint8_t *bytes, size_t count)
{
    static const uint32_t CLEARS = 0xD50340FF, CLEARED = 0xF00, SETS = 0xD51B4220, REGISTER = 0x1F,
                          RETURNS = 0xD69F03E0;
    if (count != INSTRUCTION_BYTES)
        return UNMASKS_NEVER;
    uint32_t code = code_of(bytes);
    if ((code & ~CLEARED) == CLEARS || (code & ~REGISTER) == SETS)
        return UNMASKS_HERE;
    return code == RETURNS ? UNMASKS_RETURNING : UNMASKS_NEVER;
}

static uint64_t program_counter(bool *on)
{
    *on = interrupts_on();
    return emulator_register(REGISTER_PC);
}

static bool in_user_mode(void)
{
    return (emulator_register(REGISTER_PSTATE) & PSTATE_LEVEL) == 0;
}

extern const struct machine MACHINE_ARM64_VIRT;
const struct machine MACHINE_ARM64_VIRT = {
    .target = "aarch64",
    .names = NAMES,
    .name_count = sizeof NAMES / sizeof NAMES[0],
    .connector_at = CONNECTOR_PAGE,
    .connector_splits_blocks = true,
    .line = line,
    .halts = halts,
    .program_counter = program_counter,
    .in_user_mode = in_user_mode,
    .interrupts_on = interrupts_on,
    .masks = masks,
    .unmasks = unmasks,
    .register_count = REGISTERS,
};
