/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QEMU's `virt` board with riscv64. The connector is a page of memory where the board has nothing. The generators pulse on two
 * free sources of the platform's interrupt controller.
 *
 * RISC-V Privileged Architecture: WFI, MRET, SRET, mstatus, sstatus; RISC-V Platform-Level Interrupt Controller Specification
 * 1.0.0.
 */
#include "../machine.h"
#include "../virt.h"
#include "processor.h"

#include "../../../wire/connector.h"

static const struct emulator_name NAMES[] = {
    VIRT_NAMES,
    {&emulator.register_read, {"riscv_cpu_gdb_read_register", NULL}},
    {&processor_register_write, {"riscv_cpu_gdb_write_register", NULL}},
    {&processor_status_read, {"riscv_csrrw", NULL}},
    {&processor_any_use, {"riscv_csrrw_debug", NULL}},
};

/* All registers up to the program counter. */
enum { REGISTER_PC = 32, REGISTERS = REGISTER_PC + 1 };

/* The interrupt-enable bits MIE and SIE of mstatus and sstatus. */
enum { STATUS_MACHINE_INTERRUPTS = 1 << 3, STATUS_SUPERVISOR_INTERRUPTS = 1 << 1 };

enum { INSTRUCTION_BYTES = 4 };

static void *line(unsigned index)
{
    return virt_line("interrupt controller", "riscv.sifive.plic", CONNECTOR_RISCV64_SOURCE + (int)index);
}

/* 0 for a compressed instruction, because none of the relevant instructions is compressed. */
static uint32_t code_of(const uint8_t *bytes, size_t count)
{
    return count == INSTRUCTION_BYTES
               ? bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24
               : 0;
}

static bool halts(const uint8_t *bytes, size_t count)
{
    static const uint32_t WFI = 0x10500073;
    return code_of(bytes, count) == WFI;
}

/*
 * Whether interrupts are enabled in the current mode. The interrupts belong to machine or supervisor mode; a less privileged mode
 * cannot mask them.
 */
static bool interrupts_on(void)
{
    uint64_t status;
    if (processor_status(STATUS_OF_MACHINE, &status))
        return status & STATUS_MACHINE_INTERRUPTS;
    return !processor_status(STATUS_OF_SUPERVISOR, &status) || (status & STATUS_SUPERVISOR_INTERRUPTS);
}

/*
 * False: the emulator ends a block after each instruction that accesses a status register, so no instruction masks later ones of
 * its block.
 */
static bool masks(const uint8_t *bytes, size_t count)
{
    (void)bytes;
    (void)count;
    return false;
}

/* These instructions unmask interrupts: csrrw, csrrs and their immediate forms, on mstatus or sstatus; mret, sret. */
static enum machine_unmasks unmasks(const uint8_t *bytes, size_t count)
{
    static const uint32_t MRET = 0x30200073, SRET = 0x10200073, SYSTEM = 0x73, OPCODE = 0x7F, FORM = 12, CLEARS = 3;
    uint32_t code = code_of(bytes, count), form = code >> FORM & 3, status = code >> 20;
    if (code == MRET || code == SRET)
        return UNMASKS_RETURNING;
    bool sets = (code & OPCODE) == SYSTEM && form != 0 && form != CLEARS;
    return sets && (status == STATUS_OF_MACHINE || status == STATUS_OF_SUPERVISOR) ? UNMASKS_HERE : UNMASKS_NEVER;
}

static uint64_t program_counter(bool *on)
{
    *on = interrupts_on();
    return emulator_register(REGISTER_PC);
}

/* User mode is the mode that may not read the supervisor's status. */
static bool in_user_mode(void)
{
    uint64_t status;
    return !processor_status(STATUS_OF_SUPERVISOR, &status);
}

extern const struct machine MACHINE_RISCV64_VIRT;
const struct machine MACHINE_RISCV64_VIRT = {
    .target = "riscv64",
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
    .resumed = processor_timer_restart,
};
