// SPDX-License-Identifier: MIT OR Apache-2.0
// The device of boards/selftest_level.c on `virt`: the serial port, after it has sent something. PrimeCell UART (PL011), 3.3.
#ifndef DETENT_LEVEL_INLINE_H
#define DETENT_LEVEL_INLINE_H

#include "arm64/machine.h"

#define SERIAL_IRQ 1
#define SERIAL_INTERRUPTS 0x09000038
#define SERIAL_SENT 0x20

static inline void serial_asks(bool on)
{
    *device_word(SERIAL_INTERRUPTS) = on ? SERIAL_SENT : 0;
}

#endif
