/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Holds a machine: stops it when the guest arms a port, so that the host can save its state. Writes a file with the arguments of
 * the instrument that continues from that state.
 */
#ifndef HOLD_H
#define HOLD_H

#include <stdint.h>

/* Stops the machine for good; returns when it has stopped. The guest has just armed port `index`, 0 is A, 1 is B. */
void hold_machine(const char *path, unsigned index, uint64_t now_instructions);

#endif
