// SPDX-License-Identifier: MIT OR Apache-2.0
// Chains of interrupt routines on one line.
#ifndef DETENT_CHAIN_H
#define DETENT_CHAIN_H

#include <stdint.h>

extern uint32_t chain_unhandled; // interrupts that no routine of a chain answered

#endif
