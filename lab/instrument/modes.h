/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The counter of modes: how many instructions the guest executed in user mode, and for how long its CPU waited. The guest
 * executed all other instructions in kernel mode.
 */
#ifndef MODES_H
#define MODES_H

#include <stdbool.h>

#include "plugin.h"

/* Creates the counter. If this emulator has no cheap count, prints one line on standard error and returns false. */
bool modes_start(void);

/* Counts the executions of a block that is being translated, if it is for user mode. */
void modes_block(struct qemu_plugin_tb *block);

/* Maps the counter's port over the guest's I/O space. The machine must be complete. */
void modes_connect(void);

/* Call it when the first generator starts: counts are recorded from then on, and those of user mode begin at 0. */
void modes_begin(void);

/* Records the counts up to the edge that was just recorded, if they have changed. */
void modes_mark(void);

#endif
