/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See stretches.h. Within a block, only a masking instruction changes whether interrupts are masked. */
#include "stretches.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../machine/machine.h"
#include "emulator.h"
#include "instruction.h"

enum { BUFFER_BYTES = 1 << 20 };

/*
 * The description of a block, which is filled when the emulator translates it. It is never freed, because a block may be executed
 * until the end.
 */
struct block {
    uint64_t first, last; /* addresses of the block's first and last instruction */
    uint64_t masking;     /* address of the block's first masking instruction, if it has one */
    uint64_t count;
    uint64_t masking_at; /* number of instructions up to and including the masking one; 0: the block has none */
    bool user;
    uint64_t behind;              /* address after the block's last instruction */
    enum machine_unmasks unmasks; /* how the block's last instruction unmasks interrupts */
    bool entry;                   /* an interrupt or an exception has begun here */
};

static FILE *file;
static bool counting, masked;
static bool shaded; /* masked for one instruction only, because the previous block's last instruction unmasks late */
static uint64_t least_instructions, told, all;
static struct {
    uint64_t at, address;
    bool user;
} since;
static struct block *before; /* the block that began last */
static uint64_t before_at;

static void bytes_write(const void *bytes, size_t count)
{
    if (fwrite(bytes, 1, count, file) == count)
        return;
    fprintf(stderr, "instrument: cannot write the irqs-off sections: %s\n", strerror(errno));
    _Exit(EXIT_FAILURE);
}

static void little_endian(unsigned char *into, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        into[i] = (unsigned char)(value >> (8 * i));
}

static void record_write(const uint64_t numbers[4], uint64_t flags)
{
    unsigned char record[STRETCH_BYTES];
    for (unsigned i = 0; i < 4; i++)
        little_endian(record + 8 * i, numbers[i], 8);
    little_endian(record + 32, flags, 8);
    bytes_write(record, sizeof record);
}

bool stretches_open(const struct options *options)
{
    unsigned char header[STRETCHES_HEADER_BYTES] = "BWMASKS";
    if (!emulator_within_find())
        return false;
    file = fopen(options->stretches_path, "wb");
    if (!file) {
        fprintf(stderr, "instrument: cannot create %s: %s\n", options->stretches_path, strerror(errno));
        return false;
    }
    setvbuf(file, NULL, _IOFBF, BUFFER_BYTES);
    little_endian(header + 8, STRETCHES_VERSION, 2);
    bytes_write(header, sizeof header);
    least_instructions = options->stretches_least_instructions;
    return true;
}

void stretches_begin(void)
{
    counting = true;
}

void stretches_close(void)
{
    if (!file)
        return;
    record_write((const uint64_t[]){all, told, 0, 0}, STRETCH_FOOTER);
    if (fclose(file) != 0) {
        fprintf(stderr, "instrument: cannot finish the irqs-off sections: %s\n", strerror(errno));
        _Exit(EXIT_FAILURE);
    }
    file = NULL;
    counting = false;
}

/*
 * Whether an instruction of the block that began last masked interrupts. If the block also unmasked them at its end,
 * only this function shows that interrupts were masked.
 */
static bool masked_within(uint64_t at_instructions)
{
    return before && before->masking_at && before_at + before->masking_at <= at_instructions;
}

/*
 * Whether an interrupt came between two masked blocks. There was an interrupt if the earlier block unmasks interrupts
 * at its end, and `block` is neither the code that follows nor the return target, but the entry of an interrupt or
 * exception.
 */
static bool let_through(const struct block *block)
{
    switch (before->unmasks) {
    case UNMASKS_HERE:
        return block->first != before->behind;
    case UNMASKS_RETURNING:
        return block->entry;
    default:
        return false;
    }
}

static void stretch_begins(uint64_t at_instructions, uint64_t address, bool user)
{
    since.at = at_instructions;
    since.address = address;
    since.user = user;
    masked = true;
}

static void stretch_ends(uint64_t at_instructions, uint64_t last)
{
    all++;
    masked = false;
    if (at_instructions - since.at < least_instructions)
        return;
    record_write((const uint64_t[]){since.at, at_instructions, since.address, last},
                 since.user ? STRETCH_BEGAN_IN_USER : 0);
    told++;
}

static void block_begins(unsigned processor, void *described)
{
    struct block *block = described;
    (void)processor;
    if (!counting)
        return;
    uint64_t at_instructions = emulator_now_within() - block->count;
    bool on = machine->interrupts_on();
    if (shaded) /* interrupts were masked only for that block's first instruction, unless it faulted */
        stretch_ends(at_instructions > before_at ? before_at + 1 : before_at, before->first);
    if (!masked && masked_within(at_instructions))
        stretch_begins(before_at + before->masking_at, before->masking, before->user);
    if (masked && !on && let_through(block))
        stretch_ends(at_instructions, before->last);
    shaded = masked && on && before->unmasks == UNMASKS_LATE;
    if (masked && on && !shaded)
        stretch_ends(at_instructions, before->last);
    else if (!masked && !on) {
        block->entry |= before != NULL;
        stretch_begins(at_instructions, block->first, block->user);
    }
    masked = !on || shaded;
    before = block;
    before_at = at_instructions;
}

static void describe(struct block *into, struct qemu_plugin_tb *block)
{
    for (size_t i = 0; i < into->count; i++) {
        const struct qemu_plugin_insn *instruction = qemu_plugin_tb_get_insn(block, i);
        uint8_t bytes[INSTRUCTION_BYTES_MAX];
        size_t length = instruction_bytes(instruction, bytes);
        into->last = qemu_plugin_insn_vaddr(instruction);
        into->behind = into->last + length;
        into->unmasks = machine->unmasks(bytes, length);
        if (into->masking_at || !machine->masks(bytes, length))
            continue;
        into->masking_at = i + 1;
        into->masking = into->last;
    }
}

void stretches_block(struct qemu_plugin_tb *block)
{
    struct block *described = calloc(1, sizeof *described);
    if (!described) {
        fprintf(stderr, "instrument: no memory for another block\n");
        _Exit(EXIT_FAILURE);
    }
    described->count = qemu_plugin_tb_n_insns(block);
    described->user = machine->in_user_mode();
    described->first = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(block, 0));
    describe(described, block);
    qemu_plugin_register_vcpu_tb_exec_cb(block, block_begins, QEMU_PLUGIN_CB_NO_REGS, described);
}
