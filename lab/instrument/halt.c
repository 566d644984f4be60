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

/* A CPU with queued work is not idle, even if halted. It does the work after its instructions have been counted. */
static void about_to_halt(unsigned processor, void *opaque)
{
    (void)opaque;
    emulator_work_give(processor);
}

/* A halting instruction need not end its block: on riscv64 the emulator puts later instructions into the same block. */
void halt_block(struct qemu_plugin_tb *block)
{
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(block); i++) {
        struct qemu_plugin_insn *instruction = qemu_plugin_tb_get_insn(block, i);
        if (halts(instruction))
            qemu_plugin_register_vcpu_insn_exec_cb(instruction, about_to_halt, QEMU_PLUGIN_CB_NO_REGS, NULL);
    }
}
