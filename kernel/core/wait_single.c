// SPDX-License-Identifier: MIT OR Apache-2.0
// WaitForSingleObject. It tries the kinds of objects in a fixed order; each wrong kind costs a few instructions. Events come
// first, because interrupt threads wait for them; then semaphores, mutexes and threads.
#include "core/call.h"
#include "core/error.h"
#include "core/event.h"
#include "core/mutex.h"
#include "core/objects.h"
#include "core/semaphore.h"
#include "core/wait.h"

// All functions below are called with the gate closed.
static inline __attribute__((always_inline)) DWORD wait_over(DWORD result)
{
    kernel_leave();
    return result;
}

SELDOM static __attribute__((noinline)) DWORD wait_other(HANDLE handle, DWORD timeout_ms)
{
    DWORD result;
    struct object *object = object_find(handle);
    if (object == NULL) {
        thread_error(ERROR_INVALID_HANDLE);
        return wait_over(WAIT_FAILED);
    }
    if (object_poll(object, &result))
        return wait_over(result);
    return timeout_ms == 0 ? wait_over(WAIT_TIMEOUT) : wait_block(object, timeout_ms);
}

// The caller took one count too many; this function returns that count and waits.
static __attribute__((noinline)) DWORD wait_semaphore(struct semaphore *semaphore, DWORD timeout_ms)
{
    semaphore->count = 0;
    return timeout_ms == 0 ? wait_over(WAIT_TIMEOUT) : wait_block(&semaphore->object, timeout_ms);
}

static __attribute__((noinline)) DWORD wait_mutex_owned(struct mutex *mutex, DWORD timeout_ms)
{
    DWORD result = WAIT_OBJECT_0;
    if (mutex_poll(mutex, &result))
        return wait_over(result);
    return timeout_ms == 0 ? wait_over(WAIT_TIMEOUT) : wait_block_lock(&mutex->lock, timeout_ms);
}

static __attribute__((noinline)) DWORD wait_owned(HANDLE handle, DWORD timeout_ms)
{
    struct mutex *mutex = mutex_find(handle);
    if (mutex == NULL)
        return wait_other(handle, timeout_ms);
    if (UNLIKELY(mutex->lock.owner != NULL || mutex->abandoned))
        return wait_mutex_owned(mutex, timeout_ms);
    struct thread *thread = kernel.current;
    mutex->lock.owner = thread;
    thread->mutexes_owned++;
    return wait_over(WAIT_OBJECT_0);
}

// Waits for objects that are counted or owned.
static inline __attribute__((always_inline)) DWORD wait_counted(HANDLE handle, DWORD timeout_ms)
{
    struct semaphore *semaphore = semaphore_find(handle);
    if (semaphore == NULL)
        return wait_owned(handle, timeout_ms);
    if (UNLIKELY(--semaphore->count < 0))
        return wait_semaphore(semaphore, timeout_ms);
    return wait_over(WAIT_OBJECT_0);
}

static DWORD wait_event(struct event *event, DWORD timeout_ms)
{
    event->state.waited = 1;
    return timeout_ms == 0 ? wait_over(WAIT_TIMEOUT) : wait_block(&event->object, timeout_ms);
}

DWORD WaitForSingleObject(HANDLE handle, DWORD timeout_ms)
{
    kernel_enter();
    struct event *event = event_find(handle);
    if (UNLIKELY(event == NULL))
        return wait_counted(handle, timeout_ms);
    if (!event->state.signalled)
        return wait_event(event, timeout_ms);
    event->state = event->satisfied;
    kernel_leave();
    return WAIT_OBJECT_0;
}
