// SPDX-License-Identifier: MIT OR Apache-2.0
// The analyzer's sampler: reads eight lines at equal intervals and keeps the newest samples.
#ifndef PICO_SAMPLER_H
#define PICO_SAMPLER_H

#include <stdint.h>

// Number of samples that can be read. The ring is larger, because sampling continues until the CPU notices that there are enough.
#define SAMPLER_SAMPLES 24576u

// Starts sampling, one sample every `step_ticks` ticks (at least 1).
void sampler_start(uint32_t step_ticks);

// Number of samples so far; constant after sampler_stop.
uint32_t sampler_seen(void);

// One of the newest SAMPLER_SAMPLES samples, by its number from 0.
uint8_t sampler_sample(uint32_t number);

void sampler_stop(void);

#endif
