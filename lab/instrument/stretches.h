/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The masked stretches: when interrupts were masked since the first generator started, and the instructions that began and ended
 * each stretch. FORMAT.md describes the file.
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
 * Creates the file. If that fails or this emulator cannot tell masked stretches, prints one line on standard error and returns
 * false.
 */
bool stretches_open(const struct options *options);

/* The first generator starts: stretches that begin from now on count. */
void stretches_begin(void);

/* Records at each beginning of a block that is being translated whether interrupts are masked. */
void stretches_block(struct qemu_plugin_tb *block);

/* Completes the file; only the first call does anything. */
void stretches_close(void);

#endif
