// SPDX-License-Identifier: MIT OR Apache-2.0
// Who waits for what: `struct waiters` is the side of the thing, `struct wait` the side of the thread. The gate must
// be closed for all of this.
#ifndef DETENT_WAITERS_H
#define DETENT_WAITERS_H

#include "core/queue.h"

struct thread;
struct lock;

// The threads that wait for one object. A single waiter costs one store. From the second on all are in the queue, and `sole` says
// so until the queue is empty again.
struct waiters {
    struct wait *sole; // NULL: nobody; WAITERS_QUEUED: see queue
    struct queue *queue;
    uint32_t owed; // answers that a broadcast under way still has to give (broadcast.h); else 0
};

#define WAITERS_QUEUED ((struct wait *)1)

// One thread's entry among the waiters of one object.
struct wait {
    struct link link; // while queued; its priority is the thread's
    struct thread *thread;
    struct waiters *waiters; // NULL in none; not kept up for a plain wait that is over
    struct lock *lock;       // whose owner inherits; NULL where nobody owns
    uint32_t index;          // its own in the thread's waits
};

static inline bool waiters_none(const struct waiters *waiters)
{
    return waiters->sole == NULL;
}

#endif
