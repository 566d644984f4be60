/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "virt.h"

#include <stdio.h>

#include "../instrument/emulator.h"

void *(*virt_device_line)(void *device, int number);

void *virt_line(const char *kind, const char *type, int number)
{
    bool ambiguous = false;
    void *device = emulator.device_find("", type, &ambiguous);
    if (!device)
        fprintf(stderr, "instrument: this machine has no %s %s, or more than one; expected -machine virt\n", kind,
                type);
    return device ? virt_device_line(device, number) : NULL;
}
