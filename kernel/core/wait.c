// SPDX-License-Identifier: MIT OR Apache-2.0
// What WaitForSingleObject and WaitForMultipleObjects share: how the running thread blocks, and when each kind of object is
// available.
#include "core/wait.h"

#include "core/block.h"
#include "core/broadcast.h"
#include "core/call.h"
#include "core/event.h"
#include "core/locks.h"
#include "core/mutex.h"
#include "core/semaphore.h"
#include "core/timeouts.h"
#include "core/trail.h"
#include "core/waits.h"

static inline DWORD wait_come_back(const struct thread *thread)
{
    ready_switch();
    DWORD result = thread->wait_result;
    if (UNLIKELY(gate_open_found_pending()))
        kernel_catch_up_woken();
    return result;
}

// Blocks the running thread, and returns the result of its wait with the gate open. The result of a plain wait is set here.
static inline DWORD wait_away(struct thread *thread, uint32_t state)
{
    thread->wait_result = WAIT_OBJECT_0;
    thread->state = state;
    ready_remove(thread);
    return wait_come_back(thread);
}

// For an object that other threads wait for, or that still owes answers. After those answers, the object may be
// available or may no longer exist.
SELDOM static __attribute__((noinline)) DWORD wait_block_queued(struct object *object, DWORD timeout_ms)
{
    struct thread *thread = kernel.current;
    if (UNLIKELY(object->waiters.owed != 0)) {
        HANDLE handle = (HANDLE)object->handle;
        broadcast_finish(object);
        kernel_leave();
        return WaitForSingleObject(handle, timeout_ms);
    }
    thread->wait.waiters = &object->waiters;
    waiters_add(&object->waiters, &thread->wait);
    return wait_away(thread, STATE_BLOCKED | timeout_start(thread, timeout_ms));
}

DWORD wait_block(struct object *object, DWORD timeout_ms)
{
    struct thread *thread = kernel.current;
    uint32_t state = STATE_BLOCKED;
    if (UNLIKELY(object->waiters.sole != NULL))
        return wait_block_queued(object, timeout_ms);
    if (UNLIKELY(timeout_ms != INFINITE))
        state |= timeout_start(thread, timeout_ms);
    thread->wait.waiters = &object->waiters;
    object->waiters.sole = &thread->wait;
    return wait_away(thread, state);
}

// For a lock without other waiters, whose owner is ready and inherits from nobody. Only this thread moves between
// queues, and the owner too if its priority rises.
static DWORD wait_block_lock_alone(struct lock *lock)
{
    struct thread *thread = kernel.current, *owner = lock->owner;
    uint32_t priority = thread->link.priority;
    lock->waiters->sole = &thread->wait;
    thread->wait.waiters = lock->waiters;
    thread->wait.lock = lock;
    lock->link.priority = priority;
    queue_append(owner->donations, &lock->link);
    thread->wait_result = WAIT_OBJECT_0;
    thread->state = STATE_BLOCKED | STATE_LOCK;
    if (higher_priority(priority, owner->link.priority))
        ready_inherit(thread, owner);
    else
        ready_remove(thread);
    return wait_come_back(thread);
}

static inline bool owner_rises_alone(const struct thread *owner)
{
    return owner->state == 0 && queue_is_empty(owner->donations);
}

// For a lock with other waiters, or whose owner waits or already inherits. Between queueing and blocking, this function
// handles pending interrupts; the wait may be answered then.
SELDOM static __attribute__((noinline)) DWORD wait_block_lock_queued(struct lock *lock, DWORD timeout_ms)
{
    struct thread *thread = kernel.current;
    thread->state = STATE_ENTERING | STATE_LOCK; // from here on the wait is open; the thread is still ready
    thread->wait.waiters = lock->waiters;
    thread->wait.lock = lock;
    waiters_add(lock->waiters, &thread->wait);
    lock_donate(lock);
    kernel_pass();
    if (UNLIKELY(waits_unsettled != NULL))
        waits_settle();
    if (thread->state & STATE_ENTERING) {
        thread->state = STATE_LOCK;
        thread->wait_result = WAIT_OBJECT_0;
        thread_block(STATE_BLOCKED | timeout_start(thread, timeout_ms));
    }
    DWORD result = thread->wait_result;
    kernel_leave();
    return result;
}

DWORD wait_block_lock(struct lock *lock, DWORD timeout_ms)
{
    const struct thread *thread = kernel.current;
    bool rises = higher_priority(thread->link.priority, lock->owner->link.priority);
    if (LIKELY(timeout_ms == INFINITE && waiters_none(lock->waiters) && !trail_on
               && (!rises || owner_rises_alone(lock->owner))))
        return wait_block_lock_alone(lock);
    return wait_block_lock_queued(lock, timeout_ms);
}

// Takes the object if it is available. *result is then the answer for this object alone.
bool object_poll(struct object *object, DWORD *result)
{
    *result = WAIT_OBJECT_0;
    switch (HANDLE_KIND(object->handle)) {
    case KIND_EVENT:
        return event_poll((struct event *)object);
    case KIND_SEMAPHORE:
        return semaphore_poll((struct semaphore *)object);
    case KIND_MUTEX:
        return mutex_poll((struct mutex *)object, result);
    default:
        return object_thread(object)->ended;
    }
}

struct lock *object_lock_of(struct object *object)
{
    return HANDLE_KIND(object->handle) == KIND_MUTEX ? &((struct mutex *)object)->lock : NULL;
}
