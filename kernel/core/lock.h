// SPDX-License-Identifier: MIT OR Apache-2.0
// The type of a lock, the common part of a mutex and a contended critical section: its owner inherits the priority of the waiting
// threads (locks.h).
#ifndef DETENT_LOCK_H
#define DETENT_LOCK_H

#include "core/queue.h"

struct thread;
struct waiters;

struct lock {
    struct link
        link; // in the owner's donations; its priority is the highest waiter's, or PRIORITY_IDLE_THREAD: in none
    struct thread *owner;
    struct waiters *waiters;
};

#endif
