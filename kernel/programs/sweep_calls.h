// SPDX-License-Identifier: MIT OR Apache-2.0
// The calls that a sweep tries: one line each in the table.
#ifndef DETENT_SWEEP_CALLS_H
#define DETENT_SWEEP_CALLS_H

#include "programs/sweep.h"

extern const struct sweep_call sweep_calls[];
extern const unsigned sweep_call_count;

void sweep_calls_init(void);               // does nothing after the first call
void sweep_calls_wake_at_ticks(bool wake); // makes a higher thread due at every tick

#endif
