/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part of QEMU's plugin interface that the instrument uses.
 *
 * Distributions do not package qemu-plugin.h; these prototypes are the ones its documentation describes.
 */
#ifndef PLUGIN_H
#define PLUGIN_H

#include <stdint.h>

#define PLUGIN_EXPORT __attribute__((visibility("default")))

typedef uint64_t qemu_plugin_id_t;
typedef void (*qemu_plugin_udata_cb_t)(qemu_plugin_id_t id, void *opaque);

/* Only ever handed through, never read. */
struct qemu_info_t;

/* Called by QEMU when the plugin is loaded; non-zero refuses the load. */
PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info_t *info, int argc, char **argv);

/* Calls `callback` when QEMU ends in an orderly way. */
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, qemu_plugin_udata_cb_t callback, void *opaque);

#endif
