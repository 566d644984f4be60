/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See modes.h. */
#include "modes.h"

#include "../../wire/connector.h"
#include "../machine/machine.h"
#include "emulator.h"
#include "recording.h"

enum { PORTS = 4, MODES = 2, WORDS = 2 * MODES, WORD_BITS = 32 };

struct counts {
    uint64_t user, waited;
};

static bool counting, begun;
static struct emulator_count user_count;
static uint64_t user_before; /* value of user_count when the first generator started */
static struct counts told = {UINT64_MAX, UINT64_MAX};
static uint32_t latched[WORDS];
static unsigned next_word;
static struct emulator_region region;

bool modes_start(void)
{
    counting = emulator_count_new(&user_count);
    return counting;
}

/* Counts each instruction by itself, because the emulator may execute it again as part of another block. */
static void instructions_count(struct qemu_plugin_tb *block)
{
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(block); i++)
        emulator_count_instruction(&user_count, qemu_plugin_tb_get_insn(block, i));
}

/*
 * The emulator translates a block for one privilege level and uses it at no other. The whole block is counted when it begins. If
 * one of its instructions faults, the later ones have been counted too, and are counted again when they are executed.
 */
void modes_block(struct qemu_plugin_tb *block)
{
    if (!machine->in_user_mode())
        return;
    if (!machine->connector_splits_blocks)
        emulator_count_block(&user_count, block, qemu_plugin_tb_n_insns(block));
    else
        instructions_count(block);
}

void modes_begin(void)
{
    if (counting && !begun)
        user_before = emulator_count_value(&user_count);
    begun = counting;
}

void modes_mark(void)
{
    if (!begun)
        return;
    struct counts now = {.user = emulator_count_value(&user_count) - user_before,
                         .waited = emulator_now_instructions() - emulator_executed()};
    if (now.user != told.user)
        recording_add(now.user, LINE_USER, 0, FLAG_ANNOTATION, 0);
    if (now.waited != told.waited)
        recording_add(now.waited, LINE_WAITED, 0, FLAG_ANNOTATION, 0);
    told = now;
}

/* A write captures both counts at once, so that reading them does not change them. */
static void port_write(void *opaque, uint64_t offset, uint64_t value, unsigned bytes)
{
    uint64_t user = emulator_count_value(&user_count);
    uint64_t executed[MODES] = {user, emulator_executed() - user};
    (void)opaque;
    (void)offset;
    (void)value;
    (void)bytes;
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

void modes_connect(void)
{
    machine_connect(&region, CONNECTOR_MODES_PORT, PORTS, &MODES_OPS, NULL, "backwall-modes");
}
