// SPDX-License-Identifier: MIT OR Apache-2.0
// A capture: pulses and the edges that came of them, all on one clock from one instant on.
#ifndef PICO_CAPTURE_H
#define PICO_CAPTURE_H

#include <stdint.h>

// Ends what runs, and begins: the timestamper and the generator start in the same tick.
void capture_start(uint32_t high_ticks, uint32_t low_ticks, uint32_t pulses);
void capture_stop(void);

// Microseconds since it began; an edge before that instant is among those that edges_take gives from then on.
uint64_t capture_age_us(void);

#endif
