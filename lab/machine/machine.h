/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A machine of the bench: what the instrument must know of the one that the emulator plays. A folder beside this file each.
 */
#ifndef MACHINE_H
#define MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../instrument/emulator.h"
#include "../instrument/heavy.h"

/* How an instruction lets interrupts through: not at all, behind itself, behind the one that follows it, or where it returns to. */
enum machine_unmasks { UNMASKS_NEVER, UNMASKS_HERE, UNMASKS_LATE, UNMASKS_RETURNING };

struct machine {
    const char *target;                /* the emulator's name for the processor's architecture */
    const struct emulator_name *names; /* the emulator's functions that this machine alone uses */
    size_t name_count;
    uint64_t connector_at; /* where the connector's port 0 lies in emulator.space() */

    /*
     * The connector is memory. The emulator ends the block behind an instruction that uses a device there, and goes on with a block of
     * what was behind it: that part of the block counts twice where whole blocks are counted.
     */
    bool connector_splits_blocks;

    /* The input that generator `index` pulses on; NULL, with one line on standard error, if the machine has none. */
    void *(*line)(unsigned index);

    /* Whether the instruction, which is all of the bytes, lets the processor wait for an interrupt. */
    bool (*halts)(const uint8_t *bytes, size_t count);

    /* Address of the instruction that is executed next, and whether interrupts are let through. NULL: it cannot be told. */
    uint64_t (*program_counter)(bool *interrupts_on);

    /* Whether the code that is being translated runs in user mode. NULL: it cannot be told. */
    bool (*in_user_mode)(void);

    /* Whether interrupts are let through, and whether the instruction masks those behind it. NULL: it cannot be told. */
    bool (*interrupts_on)(void);
    bool (*masks)(const uint8_t *bytes, size_t count);

    /* Whether the instruction can let interrupts through. Known where `masks` is. */
    enum machine_unmasks (*unmasks)(const uint8_t *bytes, size_t count);

    /* How many registers, from number 0 on, a trail tells at its ends. */
    unsigned register_count;

    /* Restores what the emulator leaves out of a state that it restores. NULL: it leaves out nothing. */
    void (*resumed)(void);

    /* The kind of an instruction, and the low half of the counter that the last HEAVY_STAMP gave. NULL: none is known. */
    enum heavy (*heavy)(const uint8_t *bytes, size_t count);
    uint32_t (*stamp)(void);
};

/* The one that this emulator plays, from machine_find() on. */
extern const struct machine *machine;

/* Finds it by the emulator's name for its architecture. False, with one line on standard error, if there is none. */
bool machine_find(const char *target);

/* Puts a device of ours over `count` of the connector's ports, starting at `first`. */
void machine_connect(struct emulator_region *region, uint16_t first, unsigned count,
                     const struct emulator_region_ops *ops, void *opaque, const char *name);

#endif
