/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The trail: the blocks of instructions that were executed between two instants, in order. For each block it has the
 * instant at which the block began, and whether interrupts were enabled then. FORMAT.md describes the file.
 */
#ifndef TRAIL_H
#define TRAIL_H

#include <stdbool.h>

#include "options.h"
#include "plugin.h"

enum { TRAIL_VERSION = 1, TRAIL_HEADER_BYTES = 16, TRAIL_RECORD_BYTES = 16, TRAIL_ALIGNMENT_BYTES = 8 };

/* The kind of a record, in its first byte. */
enum trail_kind { TRAIL_BLOCK = 1, TRAIL_BEGUN = 2, TRAIL_END = 3, TRAIL_REGISTER = 4 };

/*
 * Flags in a record's second byte. With TRAIL_BLOCK: executed in user mode. With TRAIL_REGISTER: 0 at the beginning, 1
 * at the end. With TRAIL_BEGUN: interrupts were enabled.
 */
enum trail_flag { TRAIL_FLAG_USER = 1, TRAIL_FLAG_INTERRUPTS_ON = 1 };

/* The byte of an instruction: its length, and whether it masks interrupts for the following instructions. */
enum trail_instruction { TRAIL_LENGTH_MASK = 0x1F, TRAIL_MASKS = 0x80 };

/* Creates the file. If that fails or this emulator cannot record a trail, prints one line on standard error and returns false. */
bool trail_open(const struct options *options);

/* Sets the timers for both instants. The machine must be complete. */
void trail_start(const struct options *options);

/* Records each execution of a block that is being translated, during the trail. */
void trail_block(struct qemu_plugin_tb *block);

/* Completes the file; only the first call does anything. The run may end at any time. */
void trail_close(void);

#endif
