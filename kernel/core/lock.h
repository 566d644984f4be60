// SPDX-License-Identifier: MIT OR Apache-2.0
// The type of a lock, which is the common part of a mutex and a contended critical section. The owner inherits the priority of
// the waiting threads (locks.h).
#ifndef DETENT_LOCK_H
#define DETENT_LOCK_H

#include "core/queue.h"

struct thread;
struct waiters;

struct lock {
    struct link
        link; // in the owner's `donations`, at the priority of the highest waiter; PRIORITY_IDLE_THREAD: not in it
    struct thread *owner;
    struct waiters *waiters;
};

#endif
