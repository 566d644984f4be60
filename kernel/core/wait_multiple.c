// SPDX-License-Identifier: MIT OR Apache-2.0
// WaitForMultipleObjects: the thread has a place among the waiters of each object, and the first answer ends the wait. Once the
// thread runs, it removes its other places itself. The gate is opened between the steps.
#include "core/block.h"
#include "core/broadcast.h"
#include "core/call.h"
#include "core/error.h"
#include "core/event.h"
#include "core/objects.h"
#include "core/timeouts.h"
#include "core/wait.h"
#include "core/waits.h"

// The error of one handle in the list. An interrupt's event is refused, unless the profile permits it.
static DWORD object_refusal(HANDLE handle)
{
    struct object *object = object_find(handle);
    if (object == NULL)
        return ERROR_INVALID_HANDLE;
    if (HANDLE_KIND(handle) != KIND_EVENT)
        return ERROR_SUCCESS;
    struct event *event = (struct event *)object;
    if (event->irq != NULL && !profile.wait_multiple_interrupt)
        return ERROR_INVALID_PARAMETER;
    event->state.waited = 1;
    return ERROR_SUCCESS;
}

static DWORD objects_refusal(DWORD count, const HANDLE *handles, BOOL wait_all)
{
    DWORD refused = ERROR_SUCCESS;
    if (count == 0 || count > WAIT_OBJECTS_MAX || handles == NULL || wait_all)
        return ERROR_INVALID_PARAMETER;
    for (DWORD i = 0; i < count && refused == ERROR_SUCCESS; i++) {
        refused = object_refusal(handles[i]);
        kernel_pass();
    }
    return refused;
}

static inline bool wait_is_open(const struct thread *thread)
{
    return thread->state & STATE_ENTERING;
}

// Answers the wait if the object is available or no longer exists. Otherwise returns the object.
static struct object *waits_poll_one(struct thread *thread, HANDLE handle, DWORD i)
{
    DWORD result;
    struct object *object = object_at_rest(handle);
    if (!wait_is_open(thread))
        return NULL; // a place taken earlier has been answered meanwhile
    if (object != NULL && !object_poll(object, &result))
        return object;
    if (object == NULL)
        thread_error(ERROR_INVALID_HANDLE);
    thread_unblock(thread, object == NULL ? WAIT_FAILED : result + i);
    return NULL;
}

// Polls all objects before queueing at any, so that nobody inherits from a wait that does not block.
static void waits_poll(struct thread *thread, DWORD count, const HANDLE *handles)
{
    for (DWORD i = 0; i < count && wait_is_open(thread); i++) {
        waits_poll_one(thread, handles[i], i);
        kernel_pass();
    }
}

// Polls each object again before queueing at it, and once more if an interrupt came in between.
static void waits_enter(struct thread *thread, DWORD count, const HANDLE *handles)
{
    for (DWORD i = 0; i < count && wait_is_open(thread);) {
        struct object *object = waits_poll_one(thread, handles[i], i);
        if (object == NULL)
            break;
        if (kernel_passes())
            continue;
        struct lock *lock = object_lock_of(object);
        if (lock != NULL)
            thread->state |= STATE_LOCK;
        wait_enter(&thread->waits[i], &object->waiters, lock);
        thread->wait_count = ++i;
        waits_settle(); // the lock's owner may itself wait for several objects
        kernel_pass();
    }
    while (UNLIKELY(waits_unsettled != NULL)) { // until all owners have their new priority
        waits_settle();
        kernel_pass();
    }
}

// Leaving a queue may lower the thread's own priority, if the lock's owner waits for a lock that this thread owns.
static void waits_leave(struct thread *thread)
{
    for (uint32_t i = 0; i < thread->wait_count; i++) {
        kernel_pass();
        wait_end(&thread->waits[i]);
        kernel_switch();
    }
    thread->wait_count = 0;
}

DWORD WaitForMultipleObjects(DWORD count, const HANDLE *handles, BOOL wait_all, DWORD timeout_ms)
{
    kernel_enter();
    struct thread *thread = kernel.current;
    DWORD refused = objects_refusal(count, handles, wait_all);
    if (refused != ERROR_SUCCESS) {
        kernel_leave();
        thread_error(refused);
        return WAIT_FAILED;
    }
    thread->state = STATE_ENTERING | STATE_MULTIPLE;
    waits_poll(thread, count, handles);
    if (timeout_ms != 0)
        waits_enter(thread, count, handles);
    if (wait_is_open(thread) && timeout_ms == 0)
        thread_unblock(thread, WAIT_TIMEOUT);
    if (wait_is_open(thread)) {
        uint32_t bits = STATE_BLOCKED | timeout_start(thread, timeout_ms);
        thread->state &= ~(uint32_t)STATE_ENTERING;
        thread_block(bits);
    }
    DWORD result = thread->wait_result;
    waits_leave(thread);
    kernel_leave();
    return result;
}
