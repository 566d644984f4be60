/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pci.h"

#include <stdbool.h>
#include <stdio.h>

#include "../instrument/emulator.h"

static const char TYPE[] = "edu";

void *pci_device(unsigned index)
{
    bool ambiguous = false;
    void *device = index == 0 ? emulator.device_find("", TYPE, &ambiguous) : NULL;
    if (index != 0)
        fprintf(stderr, "instrument: pci=1 is generator A's alone\n");
    else if (!device)
        fprintf(stderr, "instrument: this machine has no PCI device %s, or several: want -device %s\n", TYPE, TYPE);
    return device;
}
