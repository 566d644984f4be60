/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The counter of heavy instructions: counts those that the guest executes, and tells the guest how many there were
 * between two of its readings of the time stamp counter. The counter costs nothing unless it is requested.
 */
#ifndef COUNTER_H
#define COUNTER_H

#include "plugin.h"

/* Counts the instructions of a block that is being translated. */
void counter_block(struct qemu_plugin_tb *block);

/* Maps the counter's ports over the guest's I/O space. The machine must be complete. */
void counter_connect(void);

#endif
