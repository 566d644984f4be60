/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The counter of modes: how many instructions the guest executed in user mode, and for how long its processor
 * waited. All else it executed in kernel mode.
 */
#ifndef MODES_H
#define MODES_H

#include <stdbool.h>

#include "plugin.h"

/* Makes the counter. False, with one line on standard error, where this emulator has no count that costs little. */
bool modes_start(void);

/* Lets a block that is being translated count, where it is executed in user mode. */
void modes_block(struct qemu_plugin_tb *block);

/* Lays the counter's port over the guest's I/O space. The machine must be complete. */
void modes_connect(void);

/* The first generator starts: counts are told from here on, of user mode those from now. */
void modes_begin(void);

/* Tells what was counted until the edge that was just recorded, where it has changed. */
void modes_mark(void);

#endif
