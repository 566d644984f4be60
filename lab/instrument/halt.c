/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See halt.h. */
#include "halt.h"

#include <stdbool.h>

#include "../machine/machine.h"
#include "emulator.h"
#include "instruction.h"

static bool halts(const struct qemu_plugin_insn *instruction)
{
    uint8_t bytes[INSTRUCTION_BYTES_MAX];
    return machine->halts(bytes, instruction_bytes(instruction, bytes));
}

/* A processor with work to do is not idle, halted or not, and it does the work after it has counted. */
static void about_to_halt(unsigned processor, void *opaque)
{
    (void)opaque;
    emulator_work_give(processor);
}

/* What halts need not end its block: on riscv64 the emulator puts what is behind it into the same one. */
void halt_block(struct qemu_plugin_tb *block)
{
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(block); i++) {
        struct qemu_plugin_insn *instruction = qemu_plugin_tb_get_insn(block, i);
        if (halts(instruction))
            qemu_plugin_register_vcpu_insn_exec_cb(instruction, about_to_halt, QEMU_PLUGIN_CB_NO_REGS, NULL);
    }
}
