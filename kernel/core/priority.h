// SPDX-License-Identifier: MIT OR Apache-2.0
// A thread's current priority: the higher of its own and the inherited one.
#ifndef DETENT_PRIORITY_H
#define DETENT_PRIORITY_H

#include "core/thread.h"

void thread_move(struct thread *thread, uint32_t priority); // gate closed: sets its priority, whatever queue it is in

#endif
