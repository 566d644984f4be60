// SPDX-License-Identifier: MIT OR Apache-2.0
// See waits.h.
#include "core/waits.h"

#include "core/block.h"
#include "core/locks.h"
#include "core/priority.h"
#include "core/profile.h"

void waiters_init(struct waiters *waiters, struct queue *queue)
{
    *waiters = (struct waiters){NULL, queue, 0};
}

// A single waiter enters the queue only when a second waiter comes. It then enters with its priority at that time.
void waiters_add(struct waiters *waiters, struct wait *wait)
{
    struct wait *sole = waiters->sole;
    if (sole == NULL) {
        waiters->sole = wait;
        return;
    }
    if (sole != WAITERS_QUEUED) {
        sole->link.priority = sole->thread->link.priority;
        queue_append(waiters->queue, &sole->link);
        waiters->sole = WAITERS_QUEUED;
    }
    wait->link.priority = wait->thread->link.priority;
    queue_append(waiters->queue, &wait->link);
}

static void waiters_remove(struct waiters *waiters, struct wait *wait)
{
    if (waiters->sole != WAITERS_QUEUED) {
        waiters->sole = NULL;
        return;
    }
    queue_remove(waiters->queue, &wait->link);
    if (queue_is_empty(waiters->queue))
        waiters->sole = NULL;
}

static struct wait *waiters_top(const struct waiters *waiters)
{
    return waiters->sole != WAITERS_QUEUED ? waiters->sole : (struct wait *)queue_top(waiters->queue);
}

// Until an entry has moved to its thread's new priority, its old priority counts.
uint32_t waiters_top_priority(const struct waiters *waiters)
{
    const struct wait *top = waiters_top(waiters);
    if (top == NULL)
        return PRIORITY_IDLE_THREAD;
    return waiters->sole == WAITERS_QUEUED ? top->link.priority : top->thread->link.priority;
}

void wait_enter(struct wait *wait, struct waiters *waiters, struct lock *lock)
{
    wait->waiters = waiters;
    wait->lock = lock;
    waiters_add(waiters, wait);
    if (lock != NULL)
        wait->thread->state &STATE_MULTIPLE ? lock_donate_in_steps(lock) : lock_donate(lock);
}

static void wait_leave(struct wait *wait)
{
    waiters_remove(wait->waiters, wait);
    wait->waiters = NULL;
    wait->lock = NULL;
}

void wait_end(struct wait *wait)
{
    struct lock *lock = wait->lock;
    if (wait->waiters == NULL)
        return;
    wait_leave(wait);
    if (lock != NULL)
        lock_donate(lock);
}

// Takes the highest waiter with an open wait. It also removes the entries before that one: another object or a timeout
// has already answered their threads. If a lock's waiter is taken, the caller sets the new owner, or none, and updates
// what the owner inherits.
struct wait *waiters_take(struct waiters *waiters)
{
    for (unsigned i = 0; i < THREADS_MAX && !waiters_none(waiters); i++) {
        struct wait *wait = waiters_top(waiters);
        wait_leave(wait);
        if (wait->thread->state & STATE_WAIT_OPEN)
            return wait;
    }
    return NULL;
}

// Answers the highest waiter if its wait is plain: for one object, without a timeout.
static bool waiters_answer_top_plain(struct waiters *waiters)
{
    struct wait *wait = waiters_top(waiters);
    if (wait == NULL || wait->thread->state != STATE_BLOCKED)
        return false;
    waiters_remove(waiters, wait);
    wait->thread->state = 0;
    ready_add(wait->thread);
    return true;
}

bool waiters_release_one(struct waiters *waiters)
{
    if (LIKELY(waiters_answer_top_plain(waiters)))
        return true;
    struct wait *wait = waiters_take(waiters);
    if (wait == NULL)
        return false;
    thread_unblock(wait->thread, WAIT_OBJECT_0 + wait->index);
    return true;
}

static void wait_move(struct wait *wait, uint32_t priority)
{
    if (wait->waiters == NULL || wait->waiters->sole != WAITERS_QUEUED)
        return;
    queue_remove(wait->waiters->queue, &wait->link);
    wait->link.priority = priority;
    queue_append(wait->waiters->queue, &wait->link);
}

struct thread *waits_unsettled;

static void thread_unsettle(struct thread *thread)
{
    if (thread->unsettled)
        return;
    thread->unsettled = true;
    thread->settled = 2 * WAIT_OBJECTS_MAX; // no entry has to be updated
    thread->next_unsettled = waits_unsettled;
    waits_unsettled = thread;
}

void waits_follow(struct thread *thread)
{
    if (thread->state & STATE_MULTIPLE)
        thread_unsettle(thread), thread->settled = 0;
    else if (thread->state & STATE_WAIT_OPEN)
        wait_move(&thread->wait, thread->link.priority);
    else
        wait_end(&thread->wait);
}

void waits_lend_later(struct thread *thread)
{
    thread->lends = true;
    thread_unsettle(thread);
}

void thread_follow_later(struct thread *thread)
{
    thread->follows = true;
    thread_unsettle(thread);
}

// The thread moves to its due priority; what its wait lends follows in a later step.
static void thread_follow(struct thread *thread)
{
    uint32_t priority = thread_due_priority(thread);
    thread->follows = false;
    if (priority == thread->link.priority)
        return;
    thread_move(thread, priority);
    thread->lends = true;
}

// Updates what the lock's owner inherits from this wait. A fall of the thread's priority always passes on. A rise
// passes on if it is a rise of the thread's own priority, or if whole chains inherit.
static void wait_lend(const struct wait *wait)
{
    struct lock *lock = wait->lock;
    if (lock == NULL)
        return;
    if (wait->thread->gains_pass || !higher_priority(waiters_top_priority(lock->waiters), lock->link.priority))
        lock_donate_in_steps(lock);
}

// Does one step for one thread: updates its priority, or what its single wait lends, or one of its entries (number
// `settled`). If the thread's wait was answered, all entries leave. Otherwise all entries move first, and then all
// lend, so that no owner is examined while an entry is in the wrong place. False when nothing is left to do.
static bool waits_settle_one(struct thread *thread)
{
    if (thread->follows) {
        thread_follow(thread);
        return true;
    }
    if (thread->lends) {
        thread->lends = false;
        if (thread_lock_waited(thread) != NULL)
            wait_lend(&thread->wait);
        return true;
    }
    bool open = thread->state & STATE_WAIT_OPEN;
    uint32_t count = thread->wait_count, step = thread->settled++;
    if (step >= (open ? 2 * count : count))
        return false;
    if (!open)
        wait_end(&thread->waits[step]);
    else if (step < count)
        wait_move(&thread->waits[step], thread->link.priority);
    else
        wait_lend(&thread->waits[step - count]);
    return true;
}

void waits_settle(void)
{
    while (waits_unsettled != NULL) { // at most THREADS_MAX times 2 * WAIT_OBJECTS_MAX rounds
        if (profile.split_calls && gate_has_pending())
            return;
        struct thread *thread = waits_unsettled;
        if (waits_settle_one(thread))
            continue;
        waits_unsettled = thread->next_unsettled;
        thread->unsettled = thread->gains_pass = false;
    }
}
