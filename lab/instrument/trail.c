/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * See trail.h. The emulator translates blocks again at the trail's beginning and end, so that the trail slows down no block
 * outside it.
 */
#include "trail.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../machine/machine.h"
#include "emulator.h"
#include "instruction.h"

enum { BUFFER_BYTES = 1 << 20, BLOCK_INSTRUCTIONS_MAX = 4096 };

/*
 * A block's description in one number: the block's number, its number of instructions, whether an instruction of the
 * block masks interrupts, and whether the last one unmasks them late.
 */
enum { COUNT_AT = 32, COUNT_MASK = 0xFFFF, MASKS_AT = 48, LATE_AT = 49 };

static FILE *file;
static bool leaving;
static bool shading; /* the block that began last ends with interrupts masked, and unmasks them one instruction late */
static uint32_t block_count;
static struct emulator_timer from_timer, to_timer;

static void bytes_write(const void *bytes, size_t count)
{
    if (fwrite(bytes, 1, count, file) == count)
        return;
    fprintf(stderr, "instrument: cannot write the trail: %s\n", strerror(errno));
    _Exit(EXIT_FAILURE);
}

static void little_endian(unsigned char *into, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        into[i] = (unsigned char)(value >> (8 * i));
}

static void record_write(enum trail_kind kind, unsigned flags, size_t count, uint32_t number, uint64_t value)
{
    unsigned char record[TRAIL_RECORD_BYTES] = {(unsigned char)kind, (unsigned char)flags};
    little_endian(record + 2, count, 2);
    little_endian(record + 4, number, 4);
    little_endian(record + 8, value, 8);
    bytes_write(record, sizeof record);
}

bool trail_open(const struct options *options)
{
    unsigned char header[TRAIL_HEADER_BYTES] = "BWTRAIL";
    if (!emulator_within_find())
        return false;
    file = fopen(options->trail_path, "wb");
    if (!file) {
        fprintf(stderr, "instrument: cannot create the trail %s: %s\n", options->trail_path, strerror(errno));
        return false;
    }
    setvbuf(file, NULL, _IOFBF, BUFFER_BYTES);
    little_endian(header + 8, TRAIL_VERSION, 2);
    bytes_write(header, sizeof header);
    return true;
}

/* Records the registers' values between two blocks. */
static void registers_write(unsigned at_end)
{
    for (uint32_t number = 0; number < machine->register_count; number++)
        record_write(TRAIL_REGISTER, at_end, 0, number, emulator_register((int)number));
}

void trail_close(void)
{
    if (!file)
        return;
    registers_write(1);
    record_write(TRAIL_END, 0, 0, 0, emulator_now_instructions());
    if (fclose(file) != 0) {
        fprintf(stderr, "instrument: cannot finish the trail: %s\n", strerror(errno));
        _Exit(EXIT_FAILURE);
    }
    file = NULL;
    leaving = false;
}

static void begins(void *opaque)
{
    (void)opaque;
    registers_write(0);
    leaving = true;
    emulator_translate_anew();
}

static void ends(void *opaque)
{
    (void)opaque;
    trail_close();
    emulator_translate_anew();
}

void trail_start(const struct options *options)
{
    emulator_timer_prepare(&from_timer, begins, NULL);
    emulator_timer_prepare(&to_timer, ends, NULL);
    emulator_timer_arm(&from_timer, options->trail_from_instructions);
    emulator_timer_arm(&to_timer, options->trail_to_instructions);
}

/* The emulator has counted the whole block when it begins; if an instruction faults, the emulator subtracts the rest. */
static void block_begins(unsigned processor, void *handed)
{
    uint64_t block = (uint64_t)(uintptr_t)handed;
    (void)processor;
    if (!leaving)
        return;
    bool masked = !machine->interrupts_on() || shading;
    shading = (masked || (block >> MASKS_AT & 1)) && block >> LATE_AT & 1;
    record_write(TRAIL_BEGUN, masked ? 0 : TRAIL_FLAG_INTERRUPTS_ON, 0, (uint32_t)block,
                 emulator_now_within() - (block >> COUNT_AT & COUNT_MASK));
}

static bool unmasks_late(const struct qemu_plugin_insn *instruction)
{
    uint8_t bytes[INSTRUCTION_BYTES_MAX];
    return machine->unmasks(bytes, instruction_bytes(instruction, bytes)) == UNMASKS_LATE;
}

static unsigned char described(const struct qemu_plugin_insn *instruction)
{
    uint8_t bytes[INSTRUCTION_BYTES_MAX];
    size_t length = instruction_bytes(instruction, bytes);
    return (unsigned char)((length & TRAIL_LENGTH_MASK) | (machine->masks(bytes, length) ? TRAIL_MASKS : 0));
}

void trail_block(struct qemu_plugin_tb *block)
{
    unsigned char lengths[BLOCK_INSTRUCTIONS_MAX + TRAIL_ALIGNMENT_BYTES] = {0};
    size_t count = qemu_plugin_tb_n_insns(block);
    if (!leaving || count == 0 || count > BLOCK_INSTRUCTIONS_MAX)
        return;
    uint64_t masks = 0;
    for (size_t i = 0; i < count; i++) {
        lengths[i] = described(qemu_plugin_tb_get_insn(block, i));
        masks |= lengths[i] & TRAIL_MASKS ? 1 : 0;
    }
    record_write(TRAIL_BLOCK, machine->in_user_mode() ? TRAIL_FLAG_USER : 0, count, block_count,
                 qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(block, 0)));
    bytes_write(lengths, (count + TRAIL_ALIGNMENT_BYTES - 1) / TRAIL_ALIGNMENT_BYTES * TRAIL_ALIGNMENT_BYTES);
    uint64_t late_last = unmasks_late(qemu_plugin_tb_get_insn(block, count - 1));
    uint64_t handed = late_last << LATE_AT | masks << MASKS_AT | (uint64_t)count << COUNT_AT | block_count++;
    qemu_plugin_register_vcpu_tb_exec_cb(block, block_begins, QEMU_PLUGIN_CB_NO_REGS, (void *)(uintptr_t)handed);
}
