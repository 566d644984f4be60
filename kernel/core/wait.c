// SPDX-License-Identifier: MIT OR Apache-2.0
// What the waits share: how the running thread blocks, and what "it is there" means for each kind of object.
#include "core/wait.h"

#include "core/event.h"
#include "core/fast.h"
#include "core/mutex.h"
#include "core/semaphore.h"

DWORD wait_block(struct waiters *waiters, DWORD timeout_ms)
{
    struct thread *thread = kernel.current;
    uint32_t state = STATE_BLOCKED;
    if (UNLIKELY(timeout_ms != INFINITE))
        state |= timeout_start(thread, timeout_ms);
    thread->wait.waiters = waiters;
    if (LIKELY(waiters->sole == NULL))
        waiters->sole = &thread->wait;
    else
        waiters_add(waiters, &thread->wait);
    return wait_away(thread, state);
}

DWORD wait_block_lock(struct lock *lock, DWORD timeout_ms)
{
    struct thread *thread = kernel.current;
    thread->state = STATE_ENTERING | STATE_LOCK; // open from here on, and still ready
    wait_enter(&thread->wait, lock->waiters, lock);
    return wait_away(thread, STATE_BLOCKED | STATE_LOCK | timeout_start(thread, timeout_ms));
}

// Takes what is waited for if it is there; *result is then the answer for the object alone.
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
