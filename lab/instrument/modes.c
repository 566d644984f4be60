/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See modes.h. */
#include "modes.h"

#include "../../wire/connector.h"
#include "emulator.h"

enum { PORTS = 4, MODES = 2, WORDS = 2 * MODES, WORD_BITS = 32, KERNEL_BIT = 63 };

static qemu_plugin_id_t plugin;
static plugin_call callbacks_again;
static bool counting;
static uint64_t executed[MODES]; /* user, kernel */
static uint32_t latched[WORDS];
static unsigned next_word;
static struct emulator_region region;

/* Before each execution: an instruction that faults counts each time it is begun. */
static void instruction_executes(unsigned processor, void *count)
{
    (void)processor;
    ++*(uint64_t *)count;
}

static void block_translated(qemu_plugin_id_t id, struct qemu_plugin_tb *block)
{
    (void)id;
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(block); i++) {
        struct qemu_plugin_insn *instruction = qemu_plugin_tb_get_insn(block, i);
        uint64_t *count = &executed[qemu_plugin_insn_vaddr(instruction) >> KERNEL_BIT];
        qemu_plugin_register_vcpu_insn_exec_cb(instruction, instruction_executes, QEMU_PLUGIN_CB_NO_REGS, count);
    }
}

/* All code is translated anew from here on, with its counts. */
static void counting_begins(qemu_plugin_id_t id)
{
    qemu_plugin_register_vcpu_tb_trans_cb(id, block_translated);
    callbacks_again(id);
}

/* A write takes both counts at once, so that reading them does not change them. The first one begins the counting. */
static void port_write(void *opaque, uint64_t offset, uint64_t value, unsigned bytes)
{
    (void)opaque;
    (void)offset;
    (void)value;
    (void)bytes;
    if (!counting)
        qemu_plugin_reset(plugin, counting_begins);
    counting = true;
    for (unsigned i = 0; i < WORDS; i++)
        latched[i] = (uint32_t)(executed[i / 2] >> (i % 2 * WORD_BITS));
    next_word = 0;
}

static uint64_t port_read(void *opaque, uint64_t offset, unsigned bytes)
{
    (void)opaque;
    (void)offset;
    (void)bytes;
    return next_word < WORDS ? latched[next_word++] : 0;
}

static const struct emulator_region_ops MODES_OPS = {
    .read = port_read,
    .write = port_write,
    .valid = {.min_bytes = 4, .max_bytes = 4},
    .implemented = {.min_bytes = 4, .max_bytes = 4},
};

void modes_connect(qemu_plugin_id_t id, plugin_call register_callbacks)
{
    plugin = id;
    callbacks_again = register_callbacks;
    emulator_ports_overlay(&region, CONNECTOR_MODES_PORT, PORTS, &MODES_OPS, NULL, "backwall-modes");
}
