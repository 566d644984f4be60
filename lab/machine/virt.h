/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What QEMU's `virt` boards share, whatever their processor: the connector lies in the board's memory, and the generators pulse on
 * inputs of one device, which is found by its type.
 */
#ifndef VIRT_H
#define VIRT_H

#include <stdbool.h>

extern void *(*virt_device_line)(void *device, int number);

/* The emulator's functions that all of them use, for the beginning of a machine's names. */
#define VIRT_NAMES \
    {&virt_device_line, {"qdev_get_gpio_in", NULL}}, \
    { \
        &emulator.space, \
        { \
            "get_system_memory", NULL \
        } \
    }

/* Input `number` of the one device of that type; NULL, with one line on standard error that calls it `kind`, without it. */
void *virt_line(const char *kind, const char *type, int number);

#endif
