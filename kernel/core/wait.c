// SPDX-License-Identifier: MIT OR Apache-2.0
// Waiting: one place in a queue for each object, the first signal answers, what is left is withdrawn.
#include "core.h"

void waiters_init(struct waiters *waiters, struct queue *queue)
{
    queue_reset(queue);
    *waiters = (struct waiters){NULL, queue};
}

// A sole waiter enters the queue when a second one comes, at the priority that it has by then.
static void waiters_add(struct waiters *waiters, struct wait *wait)
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

void wait_withdraw(struct wait *wait)
{
    if (wait->waiters == NULL)
        return;
    struct lock *lock = wait->lock;
    waiters_remove(wait->waiters, wait);
    wait->waiters = NULL;
    wait->lock = NULL;
    if (lock != NULL)
        lock_donate(lock);
}

// Places whose thread something else has already answered are skipped: they leave when it runs.
struct wait *waiters_take(struct waiters *waiters)
{
    for (unsigned i = 0; i < THREADS_MAX && !waiters_none(waiters); i++) {
        struct wait *wait = waiters_top(waiters);
        waiters_remove(waiters, wait);
        wait->waiters = NULL;
        wait->lock = NULL;
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

void waits_withdraw(struct thread *thread)
{
    if (!(thread->state & STATE_MULTIPLE)) {
        wait_withdraw(&thread->wait);
        return;
    }
    for (uint32_t i = 0; i < thread->wait_count; i++) // at most WAIT_OBJECTS_MAX
        wait_withdraw(&thread->waits[i]);
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

static uint32_t timeout_start(struct thread *thread, DWORD timeout_ms)
{
    if (timeout_ms == INFINITE)
        return 0;
    timeout_arm(thread, timeout_ms);
    return STATE_SLEEPING;
}

// The answer comes while it is away: what answers a plain wait leaves the result as it is.
static inline DWORD thread_wait(struct thread *thread, uint32_t state)
{
    thread->wait_result = WAIT_OBJECT_0;
    thread->state = state;
    thread_leave(thread);
    kernel_switch();
    DWORD result = thread->wait_result;
    kernel_leave();
    return result;
}

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
    return thread_wait(thread, state);
}

DWORD wait_block_lock(struct lock *lock, DWORD timeout_ms)
{
    struct thread *thread = kernel.current;
    thread->state = STATE_ENTERING | STATE_LOCK; // open from here on, and still ready
    wait_enter(&thread->wait, lock->waiters, lock);
    return thread_wait(thread, STATE_BLOCKED | STATE_LOCK | timeout_start(thread, timeout_ms));
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
        return object_thread(object)->ended;
    }
}

static struct lock *object_lock_of(struct object *object)
{
    return HANDLE_KIND(object->handle) == KIND_MUTEX ? &((struct mutex *)object)->lock : NULL;
}

DWORD wait_object(HANDLE handle, DWORD timeout_ms)
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
            return object_lock_of(object) != NULL ? wait_block_lock(object_lock_of(object), timeout_ms)
                                                  : wait_block(object->waiters, timeout_ms);
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
    if (object == NULL) {
        thread_error(ERROR_INVALID_HANDLE);
        thread_unblock(thread, WAIT_FAILED);
    } else if (object_poll(object, &result)) {
        thread_unblock(thread, result + i);
    }
}

static inline bool wait_is_open(const struct thread *thread) { return thread->state & STATE_ENTERING; }

// All are looked at before a place is taken with any, so that nobody inherits from a wait that does not block.
static void waits_poll(struct thread *thread, DWORD count, const HANDLE *handles)
{
    for (DWORD i = 0; i < count && wait_is_open(thread); i++) {
        waits_poll_one(thread, handles, i);
        kernel_pass();
    }
}

// Each is looked at once more before its place is taken: the gate is opened between the steps.
static void waits_enter(struct thread *thread, DWORD count, const HANDLE *handles)
{
    for (DWORD i = 0; i < count && wait_is_open(thread); i++) {
        waits_poll_one(thread, handles, i);
        if (!wait_is_open(thread))
            break;
        struct object *object = object_find(handles[i]);
        struct lock *lock = object_lock_of(object);
        if (lock != NULL)
            thread->state |= STATE_LOCK;
        thread->wait_count = i + 1;
        wait_enter(&thread->waits[i], object->waiters, lock);
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
