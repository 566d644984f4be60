// SPDX-License-Identifier: MIT OR Apache-2.0
// Chains of interrupt routines on one line.
#ifndef DETENT_CHAIN_H
#define DETENT_CHAIN_H

#include "detent.h"

// For the OEM, before InterruptInitialize: how the device on the line asks. ERROR_INVALID_PARAMETER when it cannot be so.
BOOL line_set_level(unsigned irq, bool level);

// The ISR of every line that has a chain or is level-triggered: the port passes the line on (line_walker in port.h).
DWORD chain_walk(unsigned irq);

extern uint32_t chain_unhandled; // interrupts that no routine of a chain answered

#endif
