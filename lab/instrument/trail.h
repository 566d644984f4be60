/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The trail: which blocks of instructions were executed between two instants, in order, each with the instant at which it
 * began and whether interrupts were let through then. FORMAT.md describes the file.
 */
#ifndef TRAIL_H
#define TRAIL_H

#include <stdbool.h>

#include "options.h"
#include "plugin.h"

enum { TRAIL_VERSION = 1, TRAIL_HEADER_BYTES = 16, TRAIL_RECORD_BYTES = 16, TRAIL_ALIGNMENT_BYTES = 8 };

/* What a record is: its first byte. */
enum trail_kind { TRAIL_BLOCK = 1, TRAIL_BEGUN = 2, TRAIL_END = 3, TRAIL_REGISTER = 4 };

/* Its second byte. Of TRAIL_BLOCK: executed in user mode. Of TRAIL_REGISTER: 0 at the beginning, 1 at the end. Of TRAIL_BEGUN: interrupts were let through. */
enum trail_flag { TRAIL_FLAG_USER = 1, TRAIL_FLAG_INTERRUPTS_ON = 1 };

/* In the byte of an instruction: its length, and whether it masks interrupts behind it. */
enum trail_instruction { TRAIL_LENGTH_MASK = 0x1F, TRAIL_MASKS = 0x80 };

/* Creates the file. False, with one line on standard error, where that fails or this emulator cannot tell. */
bool trail_open(const struct options *options);

/* Arms both instants. The machine must be complete. */
void trail_start(const struct options *options);

/* Lets a block that is being translated leave its trail, while there is one. */
void trail_block(struct qemu_plugin_tb *block);

/* Ends the file, at whatever instant the run ends; only the first call does anything. */
void trail_close(void);

#endif
