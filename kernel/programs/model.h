// SPDX-License-Identifier: MIT OR Apache-2.0
// The parts of the latency model, and the checks of its predictions.
#ifndef DETENT_MODEL_PROGRAM_H
#define DETENT_MODEL_PROGRAM_H

#include "programs/sweep_calls.h"

// The paper's letters, in instructions. B, the dispatch to the ISR, is different for each ISR.
struct letters {
    uint32_t a; // longest time with interrupts off
    uint32_t c; // ISR exit: from the ISR's end back into a kernel call
    uint32_t l; // longest kernel call
    uint32_t m; // schedule, from the call's end to the IST
};

// Solves w = base + (number of ticks that begin within w) * cost, starting at w = base.
uint32_t fixed_point(uint32_t base, uint32_t cost);

// False if the prediction is below the measured value, or too far above it.
bool prediction_print(const char *name, uint32_t predicted, uint32_t found);

// Two lines at once: one interrupt of the higher line at every instant of each call, and two of the lower line at some instants.
// `pairs` is about the number of pairs of instants in a call. True if all predictions hold. If the machine does not support two
// lines at once, prints that and returns true.
bool model_lines(const struct letters *letters, const struct sweep_call *const *calls, unsigned count, uint32_t pairs);

#endif
