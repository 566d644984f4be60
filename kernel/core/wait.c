// SPDX-License-Identifier: MIT OR Apache-2.0
// Waiting: one place in a queue for each object, the first signal answers, what is left is withdrawn.
#include "core.h"

void wait_enter(struct wait *wait, struct queue *queue, struct lock *lock)
{
    wait->queue = queue;
    wait->lock = lock;
    wait->link.priority = wait->thread->link.priority;
    queue_append(queue, &wait->link);
    if (lock != NULL) {
        wait->thread->wait_locks++;
        lock_donate(lock);
    }
}

void wait_withdraw(struct wait *wait)
{
    if (wait->queue == NULL)
        return;
    queue_remove(wait->queue, &wait->link);
    wait->queue = NULL;
    if (wait->lock != NULL) {
        wait->thread->wait_locks--;
        lock_donate(wait->lock);
    }
}

// Places whose thread another object has already answered are skipped: they leave when it runs.
struct wait *wait_take(struct queue *queue)
{
    for (unsigned i = 0; i < THREADS_MAX && !queue_is_empty(queue); i++) {
        struct wait *wait = (struct wait *)queue_top(queue);
        queue_remove(queue, &wait->link);
        wait->queue = NULL;
        if (wait->lock != NULL)
            wait->thread->wait_locks--;
        if (LIKELY(wait->thread->wait_open))
            return wait;
    }
    return NULL;
}

// The state of a thread that waits that long.
static inline uint32_t timeout_start(struct thread *thread, DWORD timeout_ms)
{
    if (timeout_ms == INFINITE)
        return STATE_BLOCKED;
    timeout_arm(thread, timeout_ms);
    return STATE_BLOCKED | STATE_SLEEPING;
}

DWORD wait_block(struct queue *queue, struct lock *lock, DWORD timeout_ms)
{
    struct thread *thread = kernel.current;
    thread->wait_count = 1;
    thread->wait_open = true;
    wait_enter(&thread->waits[0], queue, lock);
    thread_block(timeout_start(thread, timeout_ms));
    DWORD result = thread->wait_result;
    kernel_leave();
    return result;
}

// Takes what is waited for if it is there; *result is then the answer for the object alone.
static bool object_poll(struct object *object, DWORD *result)
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
        return (object_thread(object)->state & STATE_ENDED) != 0;
    }
}

static struct lock *object_lock_of(struct object *object)
{
    return HANDLE_KIND(object->handle) == KIND_MUTEX ? &((struct mutex *)object)->lock : NULL;
}

DWORD wait_other(HANDLE handle, DWORD timeout_ms)
{
    DWORD result;
    kernel_enter();
    struct object *object = object_find(handle);
    if (object == NULL) {
        kernel_leave();
        thread_error(ERROR_INVALID_HANDLE);
        return WAIT_FAILED;
    }
    if (!object_poll(object, &result)) {
        if (timeout_ms != 0)
            return wait_block(object->waiters, object_lock_of(object), timeout_ms);
        result = WAIT_TIMEOUT;
    }
    kernel_leave();
    return result;
}

// An interrupt's event in the list is an error, as is anything that is no object.
static DWORD objects_refusal(DWORD count, const HANDLE *handles, BOOL wait_all)
{
    if (count == 0 || count > WAIT_OBJECTS_MAX || handles == NULL || wait_all)
        return ERROR_INVALID_PARAMETER;
    for (DWORD i = 0; i < count; i++) {
        struct object *object = object_find(handles[i]);
        if (object == NULL)
            return ERROR_INVALID_HANDLE;
        if (HANDLE_KIND(handles[i]) != KIND_EVENT)
            continue;
        struct event *event = (struct event *)object;
        if (event->irq != NULL && !profile.wait_multiple_interrupt)
            return ERROR_INVALID_PARAMETER;
        event->waited = 1;
    }
    return ERROR_SUCCESS;
}

// Answers the wait if the object is there (or no longer an object at all).
static void waits_poll_one(struct thread *thread, const HANDLE *handles, DWORD i)
{
    DWORD result;
    struct object *object = object_find(handles[i]);
    if (object == NULL)
        thread->wait_result = WAIT_FAILED, thread->wait_open = false;
    else if (object_poll(object, &result))
        thread->wait_result = result + i, thread->wait_open = false;
}

// All are looked at before a place is taken with any, so that nobody inherits from a wait that does not block.
static void waits_poll(struct thread *thread, DWORD count, const HANDLE *handles)
{
    for (DWORD i = 0; i < count && thread->wait_open; i++) {
        waits_poll_one(thread, handles, i);
        kernel_pass();
    }
}

// Each is looked at once more before its place is taken: the gate is opened between the steps.
static void waits_enter(struct thread *thread, DWORD count, const HANDLE *handles)
{
    for (DWORD i = 0; i < count && thread->wait_open; i++) {
        waits_poll_one(thread, handles, i);
        if (!thread->wait_open)
            break;
        struct object *object = object_find(handles[i]);
        thread->wait_count = i + 1;
        wait_enter(&thread->waits[i], object->waiters, object_lock_of(object));
        kernel_pass();
    }
}

static void waits_leave(struct thread *thread)
{
    for (uint32_t i = 0; i < thread->wait_count; i++) {
        wait_withdraw(&thread->waits[i]);
        kernel_pass();
    }
}

DWORD WaitForMultipleObjects(DWORD count, const HANDLE *handles, BOOL wait_all, DWORD timeout_ms)
{
    DWORD refused = objects_refusal(count, handles, wait_all);
    if (refused != ERROR_SUCCESS) {
        thread_error(refused);
        return WAIT_FAILED;
    }
    kernel_enter();
    struct thread *thread = kernel.current;
    thread->wait_count = 0;
    thread->wait_open = true;
    waits_poll(thread, count, handles);
    if (timeout_ms != 0)
        waits_enter(thread, count, handles);
    if (thread->wait_open && timeout_ms == 0) {
        thread->wait_open = false;
        thread->wait_result = WAIT_TIMEOUT;
    } else if (thread->wait_open) {
        thread_block(timeout_start(thread, timeout_ms));
    }
    DWORD result = thread->wait_result;
    waits_leave(thread);
    kernel_leave();
    return result;
}
