/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The common part of QEMU's `virt` boards with any CPU: the connector is in the board's memory, and the generators pulse on
 * inputs of one device, which is found by its type.
 */
#ifndef VIRT_H
#define VIRT_H

#include <stdbool.h>

extern void *(*virt_device_line)(void *device, int number);

/* The emulator's functions that all `virt` boards use, to be put first in a machine's names. */
#define VIRT_NAMES \
    {&virt_device_line, {"qdev_get_gpio_in", NULL}}, \
    { \
        &emulator.space, \
        { \
            "get_system_memory", NULL \
        } \
    }

/*
 * Input `number` of the only device of that type. Without such a device, prints one line on standard error that calls it `kind` and
 * returns NULL.
 */
void *virt_line(const char *kind, const char *type, int number);

#endif
