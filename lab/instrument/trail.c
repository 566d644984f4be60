/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See trail.h. Outside its two instants no block is the slower for it: at each of them all are translated anew. */
#include "trail.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../machine/machine.h"
#include "emulator.h"
#include "instruction.h"

enum { BUFFER_BYTES = 1 << 20, BLOCK_INSTRUCTIONS_MAX = 4096, NUMBER_BITS = 32 };

static FILE *file;
static bool leaving;
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

void trail_close(void)
{
    if (!file)
        return;
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

/* The emulator has counted the whole block when it begins; an instruction that faults it takes back. */
static void block_begins(unsigned processor, void *number_and_count)
{
    uint64_t both = (uint64_t)(uintptr_t)number_and_count;
    uint64_t count = both >> NUMBER_BITS;
    (void)processor;
    if (leaving)
        record_write(TRAIL_BEGUN, machine->interrupts_on() ? TRAIL_FLAG_INTERRUPTS_ON : 0, 0, (uint32_t)both,
                     emulator_now_within() - count);
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
    for (size_t i = 0; i < count; i++)
        lengths[i] = described(qemu_plugin_tb_get_insn(block, i));
    record_write(TRAIL_BLOCK, machine->in_user_mode() ? TRAIL_FLAG_USER : 0, count, block_count,
                 qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(block, 0)));
    bytes_write(lengths, (count + TRAIL_ALIGNMENT_BYTES - 1) / TRAIL_ALIGNMENT_BYTES * TRAIL_ALIGNMENT_BYTES);
    uint64_t both = (uint64_t)count << NUMBER_BITS | block_count++;
    qemu_plugin_register_vcpu_tb_exec_cb(block, block_begins, QEMU_PLUGIN_CB_NO_REGS, (void *)(uintptr_t)both);
}
