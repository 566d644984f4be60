// SPDX-License-Identifier: MIT OR Apache-2.0
// The chip's clocks: 100 MHz for CPU and PIO, 48 MHz for USB, and a microsecond counter. All come from one crystal.
#ifndef PICO_CLOCKS_H
#define PICO_CLOCKS_H

#include <stdint.h>

// Ticks per second of all times in this firmware. SUMP uses the same rate.
#define CLOCKS_TICKS_PER_S 100000000u

void clocks_start(void);

// Resets these subsystems and releases them (bits of RESETS_RESET).
void clocks_reset(uint32_t subsystems);

// Microseconds since clocks_start.
uint64_t clocks_now_us(void);

#endif
