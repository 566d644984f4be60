// SPDX-License-Identifier: MIT OR Apache-2.0
// Waiting: coming to be among the waiters of a thing (waiters.h), and leaving them in whichever way. The gate must be closed for
// all of this.
#ifndef DETENT_WAITS_H
#define DETENT_WAITS_H

#include "core/likely.h"
#include "core/ready.h"

void waiters_init(struct waiters *waiters, struct queue *queue); // an empty one
uint32_t waiters_top_priority(const struct waiters *waiters);    // PRIORITY_IDLE_THREAD when nobody waits
struct wait *waiters_take(struct waiters *waiters); // the highest whose wait is open, taken out; NULL when none
bool waiters_release_one(struct waiters *waiters);  // the same, answered WAIT_OBJECT_0; false when nobody waits
void waiters_add(struct waiters *waiters, struct wait *wait);

// A place is taken with wait_enter and left with wait_end, whichever way the wait ends: answered, timed out, or given
// up because another object of the same wait has answered. A lock's owner inherits from exactly between the two.
void wait_enter(struct wait *wait, struct waiters *waiters, struct lock *lock);
void wait_end(struct wait *wait); // does nothing when it has ended already

// The thread's wait has been answered, or its priority has changed: its places have to follow. One place does so at
// once. Those of a wait for several, up to WAIT_OBJECTS_MAX, become work that is done in steps by waits_settle, so that
// no interrupt thread waits for all of it: every call that may have made such work does it before it ends, and an
// interrupt's end does what an interrupt has cut short.
//
//     A sets an event; B, who waits for it and 63 mutexes, is answered and ready, and all their owners still inherit
//     from B. A's SetEvent ends B's places one by one. An interrupt comes: A stops, the interrupt's thread runs and
//     waits again, then B runs, above A, and ends its other places itself.
void waits_follow(struct thread *thread);
// What the thread inherits has changed, and its priority, its places and what they lend are to follow likewise.
void waits_lend_later(struct thread *thread); // its place has followed, and what that lends has not
void thread_follow_later(struct thread *thread);
void waits_settle(void);               // until all is done or something is pending
extern struct thread *waits_unsettled; // NULL: no work

// For calls that may have answered a wait for several objects.
static inline void kernel_switch(void)
{
    if (UNLIKELY(waits_unsettled != NULL))
        waits_settle();
    ready_switch();
}

// Answers a sole waiter that waits plainly: for this alone, without timeout, not suspended, for no lock.
// Its result is WAIT_OBJECT_0 already. False, with nothing done, in all other cases.
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
