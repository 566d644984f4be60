// SPDX-License-Identifier: MIT OR Apache-2.0
// Chains of interrupt routines on one line.
#ifndef DETENT_CHAIN_H
#define DETENT_CHAIN_H

#include "detent.h"

// For the OEM, before InterruptInitialize: sets whether the device on the line is level-triggered. ERROR_INVALID_PARAMETER if the
// line does not support it.
BOOL line_set_level(unsigned irq, bool level);

// The ISR of each line that has a chain or is level-triggered. The port passes it the line's number (line_walker in port.h).
DWORD chain_walk(unsigned irq);

extern uint32_t chain_unhandled; // interrupts that no routine of a chain handled

#endif
