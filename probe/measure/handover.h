// SPDX-License-Identifier: MIT OR Apache-2.0
// handover.h — what the operations share that hand the processor from one thread to another: one sample a round.
#ifndef BACKWALL_PROBE_HANDOVER_H
#define BACKWALL_PROBE_HANDOVER_H

#include "../operation.h"

// Each round begins with a go, so that the partner is in its wait before the clock is read.
void handover_begin(struct pair *pair);
// The verdict on a sample that ended so: a partner that found what it waited for, and did not wait, was not woken.
const char *handover_judge(const struct pair *pair, const char *failure);
// The caches are swept, where the row wants it.
void handover_sweep(const struct pair *pair);

#endif
