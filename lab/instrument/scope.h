/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The scope's connector: two PC parallel ports mapped over the guest's I/O space. */
#ifndef SCOPE_H
#define SCOPE_H

#include <stdint.h>

#include "options.h"

/* The contents of a port's registers. */
struct registers {
    uint8_t data, control;
};

struct registers scope_registers(unsigned index);

/* Maps ports A and B over existing devices. The machine must be complete, the global lock held. */
void scope_connect(const struct options *options);

#endif
