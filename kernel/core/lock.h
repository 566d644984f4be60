// SPDX-License-Identifier: MIT OR Apache-2.0
// The type of a lock: what a mutex and a contended critical section share, an owner who inherits from those who wait (locks.h).
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
