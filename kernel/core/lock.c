// SPDX-License-Identifier: MIT OR Apache-2.0
// Priority inheritance: every lock with waiters stands in its owner's donations at the priority of the
// highest of them, so that the owner's priority is one look at a queue, however many locks it owns.
#include "core.h"

static void lock_requeue(struct lock *lock, uint32_t priority)
{
    struct queue *donations = lock->owner->donations;
    if (lock->link.priority != PRIORITY_IDLE_THREAD)
        queue_remove(donations, &lock->link);
    lock->link.priority = priority;
    if (priority != PRIORITY_IDLE_THREAD)
        queue_append(donations, &lock->link);
}

static struct lock *thread_lock_waited(const struct thread *thread)
{
    bool single = (thread->state & (STATE_BLOCKED | STATE_MULTIPLE)) == STATE_BLOCKED;
    return single && thread->state & STATE_LOCK ? thread->wait.lock : NULL;
}

// The first owner always follows its waiters. An owner that is itself blocked passes on what it has lost
// again, but what it has gained only if the whole chain inherits: that is the one level of CE 3.0 and later.
void lock_donate(struct lock *lock)
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
        thread_move(owner, priority);
        lock = thread_lock_waited(owner);
    }
}

// The old owner, if any, loses what it inherited through this lock; the new one starts to inherit.
void lock_pass(struct lock *lock, struct thread *owner)
{
    struct thread *from = lock->owner;
    if (from != NULL && lock->link.priority != PRIORITY_IDLE_THREAD) {
        lock_requeue(lock, PRIORITY_IDLE_THREAD);
        uint32_t priority = thread_due_priority(from);
        if (priority != from->link.priority)
            thread_move(from, priority);
    }
    lock->owner = owner;
    lock_donate(lock);
}

void lock_lend(struct lock *lock, struct waiters *waiters)
{
    ASSERT(kernel.current != &idle_thread);
    *lock = (struct lock){.link.priority = PRIORITY_IDLE_THREAD, .owner = kernel.current, .waiters = waiters};
    lock_donate(lock);
}

BOOL CeSetThreadPriority(HANDLE handle, int priority)
{
    struct thread *thread = thread_find(handle);
    if (thread == NULL)
        return FALSE;
    if (priority < 0 || priority >= PRIORITY_LEVELS)
        return thread_error(ERROR_INVALID_PARAMETER);
    kernel_enter();
    thread->base_priority = profile_priority((uint32_t)priority);
    uint32_t due = thread_due_priority(thread);
    if (due != thread->link.priority) {
        thread_move(thread, due);
        lock_donate(thread_lock_waited(thread));
    }
    kernel_switch();
    kernel_leave();
    return TRUE;
}

int CeGetThreadPriority(HANDLE handle)
{
    struct thread *thread = thread_find(handle);
    return thread == NULL ? THREAD_PRIORITY_ERROR_RETURN : (int)thread->base_priority;
}

BOOL SetThreadPriority(HANDLE handle, int old_level)
{
    if (old_level < THREAD_PRIORITY_TIME_CRITICAL || old_level > THREAD_PRIORITY_IDLE)
        return thread_error(ERROR_INVALID_PARAMETER);
    return CeSetThreadPriority(handle, (int)profile_old_level((uint32_t)old_level));
}

int GetThreadPriority(HANDLE handle)
{
    struct thread *thread = thread_find(handle);
    if (thread == NULL)
        return THREAD_PRIORITY_ERROR_RETURN;
    int first = (int)profile_old_level(0), priority = (int)thread->base_priority;
    return priority < first ? THREAD_PRIORITY_TIME_CRITICAL : priority - first;
}

// Takes effect when the thread is next scheduled: the running one keeps what is left of its turn.
BOOL CeSetThreadQuantum(HANDLE handle, DWORD quantum_ms)
{
    struct thread *thread = thread_find(handle);
    if (thread == NULL)
        return FALSE;
    if (quantum_ms > INT32_MAX)
        return thread_error(ERROR_INVALID_PARAMETER);
    kernel_enter();
    thread->quantum_ms = quantum_ms;
    if (thread != kernel.current)
        thread->quantum_left_ms = quantum_ms;
    kernel_leave();
    return TRUE;
}

DWORD CeGetThreadQuantum(HANDLE handle)
{
    struct thread *thread = thread_find(handle);
    return thread == NULL ? MAXDWORD : thread->quantum_ms;
}
