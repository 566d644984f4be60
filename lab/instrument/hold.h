/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Holding a machine: it stops when the guest arms a port, so that its state can be saved, and a file says what an
 * instrument must be told that goes on from there.
 */
#ifndef HOLD_H
#define HOLD_H

#include <stdint.h>

/* Stops the machine; the guest has just armed port `index`, 0 is A, 1 is B. Returns when it stands, for good. */
void hold_machine(const char *path, unsigned index, uint64_t now_instructions);

#endif
