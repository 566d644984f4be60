// SPDX-License-Identifier: MIT OR Apache-2.0
// handover.h — code for the operations that hand the CPU from one thread to another; each round gives one sample.
#ifndef BACKWALL_PROBE_HANDOVER_H
#define BACKWALL_PROBE_HANDOVER_H

#include "../operation.h"

// Starts a round. The measured thread signals `go` first, so that the partner waits before the clock is read.
void handover_begin(struct pair *pair);
// The verdict on a sample; `failure` is why it failed, or NULL. If the partner did not have to wait, it was not woken,
// so the sample is void.
const char *handover_judge(const struct pair *pair, const char *failure);
// Sweeps the caches, if the row requires it.
void handover_sweep(const struct pair *pair);

#endif
