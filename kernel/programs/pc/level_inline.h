// SPDX-License-Identifier: MIT OR Apache-2.0
// The device of boards/selftest_level.c on a PC: the first serial port. National Semiconductor PC16550D, 8.0.
#ifndef DETENT_LEVEL_INLINE_H
#define DETENT_LEVEL_INLINE_H

#include "x86/machine.h"

#define SERIAL_IRQ 4
#define SERIAL_INTERRUPTS 0x3F9
#define SERIAL_EMPTY 0x02 // requests an interrupt as long as the port has nothing to send

static inline void serial_asks(bool on)
{
    out8(SERIAL_INTERRUPTS, on ? SERIAL_EMPTY : 0);
}

#endif
