// SPDX-License-Identifier: MIT OR Apache-2.0
// Priority inheritance. See locks.h.
#include "core/locks.h"

#include "core/block.h"
#include "core/priority.h"
#include "core/profile.h"
#include "core/trail.h"
#include "core/waits.h"

static void lock_requeue(struct lock *lock, uint32_t priority)
{
    struct queue *donations = lock->owner->donations;
    if (lock->link.priority != PRIORITY_IDLE_THREAD)
        queue_remove(donations, &lock->link);
    lock->link.priority = priority;
    if (priority != PRIORITY_IDLE_THREAD)
        queue_append(donations, &lock->link);
}

uint32_t thread_due_priority(const struct thread *thread)
{
    uint32_t inherited = queue_top_priority(thread->donations);
    return higher_priority(inherited, thread->base_priority) ? inherited : thread->base_priority;
}

struct lock *thread_lock_waited(const struct thread *thread)
{
    return (thread->state & (STATE_LOCK | STATE_MULTIPLE)) == STATE_LOCK ? thread->wait.lock : NULL;
}

// If raised priorities pass along a chain of owners, the whole chain is updated without interruption. Otherwise a high thread
// could wait for owners that are not raised yet.
static bool owner_may_follow_later(void)
{
    return profile.split_calls && !profile.inheritance_chain && gate_has_pending();
}

// The first owner's priority always follows its waiters. A blocked owner passes on a lowered priority; it passes on a
// raised one only if the whole chain inherits. Otherwise inheritance has one level, as in CE 3.0 and later. A lowered
// priority may pass along a chain of owners as long as the thread table. An interrupt may end this update early. Then
// waits_settle finishes it, and until then an owner's priority is a little too high. With in_steps, an interrupt may
// also end the update of a raised priority early.
static void donate(struct lock *lock, bool in_steps)
{
    for (unsigned depth = 0; depth < INHERITANCE_DEPTH_MAX && lock != NULL && lock->owner != NULL; depth++) {
        uint32_t top = waiters_top_priority(lock->waiters);
        struct thread *owner = lock->owner;
        if (top == lock->link.priority)
            return;
        if (depth > 0 && !profile.inheritance_chain && higher_priority(top, lock->link.priority))
            return;
        lock_requeue(lock, top);
        uint32_t priority = thread_due_priority(owner);
        if (priority == owner->link.priority)
            return;
        owner->gains_pass |= profile.inheritance_chain;
        if ((in_steps || higher_priority(owner->link.priority, priority)) && owner_may_follow_later()) {
            thread_follow_later(owner);
            return;
        }
        thread_move(owner, priority);
        lock = thread_lock_waited(owner);
    }
}

void lock_donate(struct lock *lock)
{
    donate(lock, false);
}

void lock_donate_in_steps(struct lock *lock)
{
    donate(lock, true);
}

// The old owner, if any, loses the priority that it inherited through this lock. The new owner inherits it.
static void lock_pass(struct lock *lock, struct thread *owner)
{
    struct thread *from = lock->owner;
    if (from != NULL && lock->link.priority != PRIORITY_IDLE_THREAD) {
        queue_remove(from->donations, &lock->link);
        lock->link.priority = PRIORITY_IDLE_THREAD;
        uint32_t priority = thread_due_priority(from);
        if (priority != from->link.priority)
            owner_may_follow_later() ? thread_follow_later(from) : thread_move(from, priority);
    }
    lock->owner = owner;
    if (!waiters_none(lock->waiters))
        lock_donate(lock);
}

// True if the only waiter waits for this lock alone, without timeout, and is not suspended.
static bool lock_hand_over_plain(struct lock *lock, uint32_t wait_result)
{
    struct wait *wait = lock->waiters->sole;
    if (wait <= WAITERS_QUEUED || trail_on)
        return false;
    struct thread *from = lock->owner, *to = wait->thread;
    if (to->state != (STATE_BLOCKED | STATE_LOCK))
        return false;
    lock->waiters->sole = NULL;
    wait->waiters = NULL;
    wait->lock = NULL;
    to->state = 0;
    to->wait_result = wait_result;
    queue_remove(from->donations, &lock->link);
    lock->link.priority = PRIORITY_IDLE_THREAD;
    lock->owner = to;
    uint32_t due = thread_due_priority(from);
    if (due != from->link.priority)
        ready_move(from, due);
    ready_add(to);
    return true;
}

struct thread *lock_hand_over(struct lock *lock, uint32_t wait_result)
{
    return LIKELY(lock_hand_over_plain(lock, wait_result)) ? lock->owner : lock_take_away(lock, wait_result);
}

struct thread *lock_take_away(struct lock *lock, uint32_t wait_result)
{
    struct wait *wait = waiters_take(lock->waiters);
    struct thread *to = wait == NULL ? NULL : wait->thread;
    lock_pass(lock, to);
    if (to != NULL)
        thread_unblock(to, wait_result + wait->index);
    return to;
}
