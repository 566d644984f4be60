/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The counter of modes: how many instructions the guest executed below and above the border of its address space, which
 * 64-bit systems keep between user and kernel.
 */
#ifndef MODES_H
#define MODES_H

#include "plugin.h"

/*
 * Lays the counter's port over the guest's I/O space. The machine must be complete. A count costs each instruction several
 * times its own time, so the counting begins with the guest's first write there; that drops all callbacks of the plugin,
 * and `register_callbacks` must register the others again.
 */
void modes_connect(qemu_plugin_id_t id, plugin_call register_callbacks);

#endif
