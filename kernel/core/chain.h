// SPDX-License-Identifier: MIT OR Apache-2.0
// Chains of interrupt routines on one line.
#ifndef DETENT_CHAIN_H
#define DETENT_CHAIN_H

#include "detent.h"

// For the OEM, before InterruptInitialize: whether the device on the line is level-triggered. ERROR_INVALID_PARAMETER if that is
// not possible.
BOOL line_set_level(unsigned irq, bool level);

// The ISR of every line that has a chain or is level-triggered; the port passes it the line (line_walker in port.h).
DWORD chain_walk(unsigned irq);

extern uint32_t chain_unhandled; // interrupts that no routine of a chain handled

#endif
