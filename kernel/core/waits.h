// SPDX-License-Identifier: MIT OR Apache-2.0
// Adds a thread to the waiters of an object (waiters.h), and removes it in every way. The gate must be closed for all of this.
#ifndef DETENT_WAITS_H
#define DETENT_WAITS_H

#include "core/likely.h"
#include "core/ready.h"

void waiters_init(struct waiters *waiters, struct queue *queue); // makes the set of waiters empty
uint32_t waiters_top_priority(const struct waiters *waiters);    // PRIORITY_IDLE_THREAD if no thread waits
struct wait *waiters_take(struct waiters *waiters); // removes the highest waiter with an open wait; NULL: none
bool waiters_release_one(struct waiters *waiters);  // removes the highest waiter, answered WAIT_OBJECT_0; false if none
void waiters_add(struct waiters *waiters, struct wait *wait);

// wait_enter queues an entry, and wait_end removes it, however the wait ends: answered, timed out, or given up because
// another object of the same wait answered. A lock's owner inherits from the wait exactly between the two calls.
void wait_enter(struct wait *wait, struct waiters *waiters, struct lock *lock);
void wait_end(struct wait *wait); // does nothing if the wait has already ended

// Call it when the thread's wait was answered or its priority changed: its entries must be updated. A single entry is
// updated at once. The entries of a wait for several objects, up to WAIT_OBJECTS_MAX, become work that waits_settle
// does in steps, so that no interrupt thread waits for all of it. Every call that may have created such work does the
// work before the call ends. If an interrupt cuts the work short, the end of the interrupt continues it. Example:
// thread A sets an event. B, which waits for it and 63 mutexes, is answered and ready, and the owners of all the
// mutexes still inherit from B. A's SetEvent removes B's entries one by one. An interrupt comes: A is preempted, the
// interrupt's thread runs and waits again. Then B runs, above A, and removes its other entries itself.
void waits_follow(struct thread *thread);
// Call it when the priority that the thread inherits has changed: its own priority, its entries and what they lend are updated in
// the same way.
void waits_lend_later(struct thread *thread); // the thread's wait has moved, and the lent priority is not updated yet
void thread_follow_later(struct thread *thread);
void waits_settle(void);               // works until everything is done or an interrupt is pending
extern struct thread *waits_unsettled; // NULL: nothing to settle

// For calls that may have answered a wait for several objects.
static inline void kernel_switch(void)
{
    if (UNLIKELY(waits_unsettled != NULL))
        waits_settle();
    ready_switch();
}

// Answers a single waiter with a plain wait: for this object alone, without timeout, not suspended, not for a lock. Its result is
// already WAIT_OBJECT_0. In all other cases it does nothing and returns false.
static inline bool waiters_answer_plain(struct waiters *waiters)
{
    struct wait *wait = waiters->sole;
    if (UNLIKELY(wait <= WAITERS_QUEUED))
        return false;
    struct thread *thread = wait->thread;
    if (UNLIKELY(thread->state != STATE_BLOCKED))
        return false;
    waiters->sole = NULL;
    thread->state = 0;
    ready_add(thread);
    return true;
}

#endif
