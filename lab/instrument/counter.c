/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See counter.h. */
#include "counter.h"

#include "../../wire/connector.h"
#include "../machine/machine.h"
#include "emulator.h"
#include "heavy.h"
#include "instruction.h"
#include "ledger.h"

enum {
    FIRST_PORT = CONNECTOR_COUNT_FROM_PORT,
    PORTS = 8,
    REGISTER_FROM = 0,
    REGISTER_TO = CONNECTOR_COUNT_TO_PORT - CONNECTOR_COUNT_FROM_PORT,
};

static uint64_t executed;
static bool stamp_open; /* the last instruction was rdtsc, and its result has not been read yet */
static struct emulator_region region;
static uint32_t from_instant;
static char text[LEDGER_TEXT_CHARS];
static unsigned text_at;

/* The emulator counts instructions, so rdtsc ends its block, and the registers are up to date before the next instruction. */
static void instruction_executes(unsigned processor, void *kind_as_pointer)
{
    enum heavy kind = (enum heavy)(uintptr_t)kind_as_pointer;
    (void)processor;
    if (stamp_open) {
        ledger_stamp(machine->stamp(), executed - 1);
        stamp_open = false;
    }
    if (kind < HEAVY_KINDS)
        ledger_event(kind, executed);
    else
        stamp_open = kind == HEAVY_STAMP;
    executed++;
}

static void memory_accessed(unsigned processor, qemu_plugin_meminfo_t info, uint64_t address, void *opaque)
{
    const struct qemu_plugin_hwaddr *place = qemu_plugin_get_hwaddr(info, address);
    (void)processor;
    (void)opaque;
    if (place && qemu_plugin_hwaddr_is_io(place))
        ledger_event(HEAVY_DEVICE, executed - 1);
}

static enum heavy instruction_kind(const struct qemu_plugin_insn *instruction)
{
    uint8_t bytes[INSTRUCTION_BYTES_MAX];
    return machine->heavy(bytes, instruction_bytes(instruction, bytes));
}

void counter_block(struct qemu_plugin_tb *block)
{
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(block); i++) {
        struct qemu_plugin_insn *instruction = qemu_plugin_tb_get_insn(block, i);
        void *kind = (void *)(uintptr_t)instruction_kind(instruction);
        qemu_plugin_register_vcpu_insn_exec_cb(instruction, instruction_executes, QEMU_PLUGIN_CB_NO_REGS, kind);
        qemu_plugin_register_vcpu_mem_cb(instruction, memory_accessed, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
                                         NULL);
    }
}

static void port_write(void *opaque, uint64_t offset, uint64_t value, unsigned bytes)
{
    (void)opaque;
    (void)bytes;
    if (offset == REGISTER_FROM)
        from_instant = (uint32_t)value;
    if (offset != REGISTER_TO)
        return;
    ledger_text(from_instant, (uint32_t)value, text);
    text_at = 0;
}

/* Returns the text byte by byte, and then zeroes. */
static uint64_t port_read(void *opaque, uint64_t offset, unsigned bytes)
{
    (void)opaque;
    (void)bytes;
    if (offset != REGISTER_FROM || text[text_at] == 0)
        return 0;
    return (uint8_t)text[text_at++];
}

static const struct emulator_region_ops COUNTER_OPS = {
    .read = port_read,
    .write = port_write,
    .valid = {.min_bytes = 1, .max_bytes = 4},
    .implemented = {.min_bytes = 1, .max_bytes = 4},
};

void counter_connect(void)
{
    machine_connect(&region, FIRST_PORT, PORTS, &COUNTER_OPS, NULL, "backwall-counter");
}
