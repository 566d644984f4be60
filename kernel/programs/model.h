// SPDX-License-Identifier: MIT OR Apache-2.0
// The latency model's parts and how its predictions are judged.
#ifndef DETENT_MODEL_PROGRAM_H
#define DETENT_MODEL_PROGRAM_H

#include "programs/sweep_calls.h"

// The paper's letters, in instructions; B, the dispatch to the ISR, is each ISR's own.
struct letters {
    uint32_t a; // interrupts off
    uint32_t c; // ISR exit, to a kernel call
    uint32_t l; // longest kernel call
    uint32_t m; // schedule, from the call's end to the IST
};

// w = base + (ticks that begin within w) * cost, from w = base on.
uint32_t fixed_point(uint32_t base, uint32_t cost);

// False when the prediction is below what was found, or more than 1.5 times it.
bool prediction_print(const char *name, uint32_t predicted, uint32_t found);

// Two lines at once: one interrupt of the higher at every instant of each call, and two of the lower at instants as near to
// each other as so many pairs of instants a call allow. True when all predictions hold, or when the machine cannot do it,
// which is said.
bool model_lines(const struct letters *letters, const struct sweep_call *const *calls, unsigned count, uint32_t pairs);

#endif
