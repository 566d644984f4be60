// SPDX-License-Identifier: MIT OR Apache-2.0
// The data of a wait: `struct waiters` belongs to the object, `struct wait` to the thread. The gate must be closed for all of
// this.
#ifndef DETENT_WAITERS_H
#define DETENT_WAITERS_H

#include "core/queue.h"

struct thread;
struct lock;

// The threads that wait for one object. A single waiter costs one store. Once there is a second waiter, all waiters are
// in the queue, and `sole` is WAITERS_QUEUED until the queue is empty again.
struct waiters {
    struct wait *sole; // NULL: no waiter; WAITERS_QUEUED: see queue
    struct queue *queue;
    uint32_t owed; // answers that a broadcast in progress still has to give (broadcast.h); otherwise 0
};

#define WAITERS_QUEUED ((struct wait *)1)

// One thread's entry among the waiters of one object.
struct wait {
    struct link link; // in the queue of waiters; its priority is the thread's
    struct thread *thread;
    struct waiters *waiters; // NULL: the wait is in no queue; not updated when a wait for one object ends
    struct lock *lock;       // the lock whose owner inherits from the wait; NULL if the object has no owner
    uint32_t index;          // index of this wait in the thread's `waits`
};

static inline bool waiters_none(const struct waiters *waiters)
{
    return waiters->sole == NULL;
}

#endif
