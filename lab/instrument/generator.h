/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The function generators: A drives ISA interrupt 7, B interrupt 5, both in the emulator's virtual time. */
#ifndef GENERATOR_H
#define GENERATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "options.h"

/* The functions that the generators call. */
struct generator_calls {
    void (*finished)(void);                                  /* every generator has sent all its pulses */
    void (*hold)(unsigned index, uint64_t now_instructions); /* port `index` has been armed, and the machine is to
                                                                stop; NULL: the machine continues, and the generator
                                                                begins */
};

/* Prepares the generators that `options` uses. The machine must be complete, the global lock held. */
void generators_start(const struct options *options, const struct generator_calls *calls);

/* The guest has enabled interrupts on port `index`: 0 is A, 1 is B. */
void generator_port_armed(unsigned index);

/* The guest has raised `bit` of the data register of port `index`. */
void generator_port_marked(unsigned index, unsigned bit);

/* Pulses that generator `index` has given so far. */
uint64_t generator_pulses(unsigned index);

#endif
