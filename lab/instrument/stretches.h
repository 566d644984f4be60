/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The masked stretches: from when to when interrupts were not let through, since the first generator started, and which instruction
 * began and which ended each. FORMAT.md describes the file.
 */
#ifndef STRETCHES_H
#define STRETCHES_H

#include <stdbool.h>

#include "options.h"
#include "plugin.h"

enum { STRETCHES_VERSION = 1, STRETCHES_HEADER_BYTES = 16, STRETCH_BYTES = 40 };

/* In the flags of a stretch, and in those of the footer. */
enum stretch_flag { STRETCH_BEGAN_IN_USER = 1, STRETCH_FOOTER = 2 };

/* Creates the file. False, with one line on standard error, where that fails or this emulator cannot tell. */
bool stretches_open(const struct options *options);

/* The first generator starts: what begins from here on counts. */
void stretches_begin(void);

/* Lets a block that is being translated tell how interrupts are when it begins. */
void stretches_block(struct qemu_plugin_tb *block);

/* Ends the file; only the first call does anything. */
void stretches_close(void);

#endif
