/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of machines. */
#include "machine.h"

#include <stdio.h>
#include <string.h>

extern const struct machine MACHINE_X86_PC, MACHINE_ARM64_VIRT, MACHINE_RISCV64_VIRT;

static const struct machine *const MACHINES[] = {&MACHINE_X86_PC, &MACHINE_ARM64_VIRT, &MACHINE_RISCV64_VIRT};

const struct machine *machine;

bool machine_find(const char *target)
{
    for (size_t i = 0; i < sizeof MACHINES / sizeof MACHINES[0]; i++) {
        if (strcmp(MACHINES[i]->target, target) == 0)
            machine = MACHINES[i];
    }
    if (!machine)
        fprintf(stderr, "instrument: the bench has no machine with a %s processor\n", target);
    return machine;
}

void machine_connect(struct emulator_region *region, uint16_t first, unsigned count,
                     const struct emulator_region_ops *ops, void *opaque, const char *name)
{
    emulator_overlay(region, machine->connector_at + first, count, ops, opaque, name);
}
