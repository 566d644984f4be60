/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the instrument must know of an emulated machine. Each machine of the bench has a folder next to this file. */
#ifndef MACHINE_H
#define MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../instrument/emulator.h"
#include "../instrument/heavy.h"

/* Where an instruction unmasks interrupts: nowhere, after itself, after the next instruction, or at its return target. */
enum machine_unmasks { UNMASKS_NEVER, UNMASKS_HERE, UNMASKS_LATE, UNMASKS_RETURNING };

struct machine {
    const char *target;                /* the emulator's name for the CPU's architecture */
    const struct emulator_name *names; /* the emulator's functions that only this machine uses */
    size_t name_count;
    uint64_t connector_at; /* address of the connector's port 0 in emulator.space() */

    /*
     * The connector is memory. After an instruction that accesses a device there, the emulator ends the block and
     * continues with a new block of the remaining instructions. If the instrument counts whole blocks, it counts these
     * remaining instructions twice.
     */
    bool connector_splits_blocks;

    /*
     * The interrupt input that generator `index` drives. If the machine has none, prints one line on standard error and returns
     * NULL.
     */
    void *(*line)(unsigned index);

    /* Whether the instruction halts the CPU until an interrupt. The bytes are exactly one instruction. */
    bool (*halts)(const uint8_t *bytes, size_t count);

    /* Address of the next instruction, and whether interrupts are enabled. NULL: unknown on this machine. */
    uint64_t (*program_counter)(bool *interrupts_on);

    /* Whether the code that is being translated runs in user mode. NULL: unknown on this machine. */
    bool (*in_user_mode)(void);

    /*
     * Whether interrupts are enabled, and whether the instruction masks them for the following ones. NULL: unknown on this machine.
     */
    bool (*interrupts_on)(void);
    bool (*masks)(const uint8_t *bytes, size_t count);

    /* How the instruction unmasks interrupts. This function is set if `masks` is set. */
    enum machine_unmasks (*unmasks)(const uint8_t *bytes, size_t count);

    /* Number of registers, from number 0 on, that a trail records at its beginning and end. */
    unsigned register_count;

    /* Restores what the emulator omits when it restores a state. NULL: it omits nothing. */
    void (*resumed)(void);

    /* The kind of an instruction, and the low half of the counter that the last HEAVY_STAMP read. NULL: no kinds are known. */
    enum heavy (*heavy)(const uint8_t *bytes, size_t count);
    uint32_t (*stamp)(void);
};

/* The emulated machine; set by machine_find(). */
extern const struct machine *machine;

/*
 * Sets `machine` by the emulator's name for its architecture. If there is none, prints one line on standard error and returns
 * false.
 */
bool machine_find(const char *target);

/* Maps a device of the instrument over `count` of the connector's ports, starting at `first`. */
void machine_connect(struct emulator_region *region, uint16_t first, unsigned count,
                     const struct emulator_region_ops *ops, void *opaque, const char *name);

#endif
