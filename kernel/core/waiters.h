// SPDX-License-Identifier: MIT OR Apache-2.0
// Who waits for what: `struct waiters` is the side of the thing, `struct wait` the side of the thread. The gate must
// be closed for all of this.
#ifndef DETENT_WAITERS_H
#define DETENT_WAITERS_H

#include "core/queue.h"

struct thread;
struct lock;

// Those who wait for one thing. A sole waiter costs one store; from the second on all stand in the queue, and sole
// says so until the queue is empty again.
struct waiters {
    struct wait *sole; // NULL: nobody; WAITERS_QUEUED: see queue
    struct queue *queue;
};

#define WAITERS_QUEUED ((struct wait *)1)

// One thread's place among the waiters of one thing.
struct wait {
    struct link link; // while queued; its priority is the thread's
    struct thread *thread;
    struct waiters *waiters; // NULL in none; not kept up for a plain wait that is over
    struct lock *lock;       // whose owner inherits; NULL where nobody owns
    uint32_t index;          // its own in the thread's waits
};

void waiters_init(struct waiters *waiters, struct queue *queue);
static inline bool waiters_none(const struct waiters *waiters) { return waiters->sole == NULL; }
uint32_t waiters_top_priority(const struct waiters *waiters); // PRIORITY_IDLE_THREAD when nobody waits
struct wait *waiters_take(struct waiters *waiters); // the highest whose wait is open, taken out; NULL when none
bool waiters_release_one(struct waiters *waiters);  // the same, answered WAIT_OBJECT_0; false when nobody waits
void waiters_add(struct waiters *waiters, struct wait *wait);

// A place is taken with wait_enter and left with wait_end, whichever way the wait ends: answered, timed out, or given
// up because another object of the same wait has answered. A lock's owner inherits from exactly between the two.
void wait_enter(struct wait *wait, struct waiters *waiters, struct lock *lock);
void wait_end(struct wait *wait); // does nothing when it has ended already

void waits_end(struct thread *thread);                     // all places of its wait, one or several
void waits_move(struct thread *thread, uint32_t priority); // its places follow its new priority

#endif
