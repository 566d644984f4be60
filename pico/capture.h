// SPDX-License-Identifier: MIT OR Apache-2.0
// A capture: the generator's pulses and the edges of three lines, on one clock that starts with the capture.
#ifndef PICO_CAPTURE_H
#define PICO_CAPTURE_H

#include <stdint.h>

// Ends a running capture and begins a new one. The timestamper and the generator start in the same tick.
void capture_start(uint32_t high_ticks, uint32_t low_ticks, uint32_t pulses);
void capture_stop(void);

// Microseconds since the capture began. Later calls of edges_take return every edge that came before this time.
uint64_t capture_age_us(void);

#endif
