// SPDX-License-Identifier: MIT OR Apache-2.0
// Blocks the running thread, and makes a blocked thread ready. The gate must be closed.
#ifndef DETENT_BLOCK_H
#define DETENT_BLOCK_H

#include "core/thread.h"

void thread_unblock(struct thread *thread, uint32_t wait_result);
void thread_block(uint32_t state_bits); // blocks the running thread; returns once it is unblocked

#endif
