// SPDX-License-Identifier: MIT OR Apache-2.0
// The analyzer's engine: eight lines looked at in even steps, the newest samples kept.
#ifndef PICO_SAMPLER_H
#define PICO_SAMPLER_H

#include <stdint.h>

// Samples that can be given out. The ring is larger: it goes on while the processor sees that it is enough.
#define SAMPLER_SAMPLES 24576u

// Begins, a sample every so many ticks (1 at least).
void sampler_start(uint32_t step_ticks);

// Samples taken so far; stands still after sampler_stop.
uint32_t sampler_seen(void);

// One of the newest SAMPLER_SAMPLES, by its number from 0.
uint8_t sampler_sample(uint32_t number);

void sampler_stop(void);

#endif
