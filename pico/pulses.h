// SPDX-License-Identifier: MIT OR Apache-2.0
// The generator: a given number of pulses on one pin, exact to a tick.
#ifndef PICO_PULSES_H
#define PICO_PULSES_H

#include <stdbool.h>
#include <stdint.h>

// State machine of the generator in the first PIO block, as a bit of pio_start.
#define PULSES_MACHINE (1u << 3)
// The timestamper reads a line again this many ticks after it rose, or fell. No level may be shorter.
#define PULSES_HIGH_TICKS_MIN 4u
#define PULSES_LOW_TICKS_MIN 4u

// Prepares the generator: low for `low_ticks`, then `count` times high for `high_ticks` and low for `low_ticks`. The pin is low.
void pulses_fit(uint32_t high_ticks, uint32_t low_ticks, uint32_t count);

// Whether pulses are left.
bool pulses_running(void);

// Stops the pulses. The pin is low, and an input again.
void pulses_stop(void);

#endif
