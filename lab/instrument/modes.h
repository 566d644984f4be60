/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The counter of modes: how many instructions the guest executed below and above the border of its address space, which
 * 64-bit systems keep between user and kernel. Costs nothing unless asked for.
 */
#ifndef MODES_H
#define MODES_H

#include "plugin.h"

/* Counts from the first instruction on; call it while the plugin is installed. */
void modes_watch(qemu_plugin_id_t id);

/* Lays the counter's port over the guest's I/O space. The machine must be complete. */
void modes_connect(void);

#endif
