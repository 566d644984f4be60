/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The masked stretches: the intervals with interrupts masked (irqs off) since the first generator started, and the instructions
 * that began and ended each. FORMAT.md describes the file.
 */
#ifndef STRETCHES_H
#define STRETCHES_H

#include <stdbool.h>

#include "options.h"
#include "plugin.h"

enum { STRETCHES_VERSION = 1, STRETCHES_HEADER_BYTES = 16, STRETCH_BYTES = 40 };

/* Flags of a stretch and of the footer. */
enum stretch_flag { STRETCH_BEGAN_IN_USER = 1, STRETCH_FOOTER = 2 };

/*
 * Creates the file. If that fails, or if this emulator cannot tell whether interrupts are masked, prints one line on standard
 * error and returns false.
 */
bool stretches_open(const struct options *options);

/* Call it when the first generator starts: records the stretches that begin from then on. */
void stretches_begin(void);

/* Checks at each execution of a block that is being translated whether interrupts are masked. */
void stretches_block(struct qemu_plugin_tb *block);

/* Completes the file; only the first call does anything. */
void stretches_close(void);

#endif
