// SPDX-License-Identifier: MIT OR Apache-2.0
// See waiters.h.
#include "core/waiters.h"

#include "core/lock.h"
#include "core/thread.h"

void waiters_init(struct waiters *waiters, struct queue *queue)
{
    queue_reset(queue);
    *waiters = (struct waiters){NULL, queue};
}

// A sole waiter enters the queue when a second one comes, at the priority that it has by then.
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

uint32_t waiters_top_priority(const struct waiters *waiters)
{
    const struct wait *top = waiters_top(waiters);
    return top == NULL ? PRIORITY_IDLE_THREAD : top->thread->link.priority;
}

void wait_enter(struct wait *wait, struct waiters *waiters, struct lock *lock)
{
    wait->waiters = waiters;
    wait->lock = lock;
    waiters_add(waiters, wait);
    if (lock != NULL)
        lock_donate(lock);
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

// Places whose thread something else has already answered are skipped: they leave when it runs. A lock whose waiter
// is taken gets a new owner, or none, from the caller, who sees to what that one inherits.
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

bool waiters_release_one(struct waiters *waiters)
{
    struct wait *wait = waiters_take(waiters);
    if (wait == NULL)
        return false;
    thread_unblock(wait->thread, WAIT_OBJECT_0 + wait->index);
    return true;
}

void waits_end(struct thread *thread)
{
    if (!(thread->state & STATE_MULTIPLE)) {
        wait_end(&thread->wait);
        return;
    }
    for (uint32_t i = 0; i < thread->wait_count; i++) // at most WAIT_OBJECTS_MAX
        wait_end(&thread->waits[i]);
}

static void wait_move(struct wait *wait, uint32_t priority)
{
    if (wait->waiters == NULL || wait->waiters->sole != WAITERS_QUEUED)
        return;
    queue_remove(wait->waiters->queue, &wait->link);
    wait->link.priority = priority;
    queue_append(wait->waiters->queue, &wait->link);
}

void waits_move(struct thread *thread, uint32_t priority)
{
    if (!(thread->state & STATE_MULTIPLE)) {
        wait_move(&thread->wait, priority);
        return;
    }
    for (uint32_t i = 0; i < thread->wait_count; i++) // at most WAIT_OBJECTS_MAX
        wait_move(&thread->waits[i], priority);
}
