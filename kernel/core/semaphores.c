// SPDX-License-Identifier: MIT OR Apache-2.0
// Semaphores. No thread owns the count, so no thread inherits a priority.
#include "core/broadcast.h"
#include "core/call.h"
#include "core/error.h"
#include "core/objects.h"
#include "core/semaphore.h"
#include "core/waits.h"

SELDOM HANDLE CreateSemaphore(LPVOID attributes, LONG initial_count, LONG maximum_count, LPCTSTR name)
{
    if (attributes != NULL || maximum_count <= 0 || initial_count < 0 || initial_count > maximum_count) {
        thread_error(ERROR_INVALID_PARAMETER);
        return NULL;
    }
    DWORD refused;
    HANDLE handle = NULL;
    object_lock();
    struct semaphore *semaphore = (struct semaphore *)object_open_named(KIND_SEMAPHORE, name, &refused);
    if (semaphore != NULL) {
        handle = (HANDLE)semaphore->object.handle;
    } else if (refused == ERROR_SUCCESS && (semaphore = (struct semaphore *)object_take(KIND_SEMAPHORE)) != NULL) {
        semaphore->count = initial_count;
        semaphore->maximum = maximum_count;
        object_set_name(&semaphore->object, name);
        handle = object_publish(&semaphore->object);
    }
    object_unlock();
    if (refused != ERROR_SUCCESS)
        thread_error(refused);
    return handle;
}

static __attribute__((noinline)) BOOL semaphore_refuse(DWORD error)
{
    kernel_leave();
    return thread_error(error);
}

// If an earlier release has paused, it must finish first: its remainder may become part of the count that this release
// reads.
static __attribute__((noinline)) BOOL semaphore_release_later(HANDLE handle, LONG release_count, LPLONG previous_count)
{
    object_at_rest(handle);
    kernel_leave();
    return ReleaseSemaphore(handle, release_count, previous_count);
}

// While threads wait, a release goes to them, and only what is left is added to the count.
static __attribute__((noinline)) BOOL semaphore_wake(struct semaphore *semaphore, LONG release_count,
                                                     LPLONG previous_count)
{
    if (UNLIKELY(semaphore->object.waiters.owed != 0))
        return semaphore_release_later((HANDLE)semaphore->object.handle, release_count, previous_count);
    if (previous_count != NULL)
        *previous_count = semaphore->count;
    if (LIKELY(waiters_answer_plain(&semaphore->object.waiters)))
        semaphore->count += release_count - 1;
    else
        broadcast(&semaphore->object, (uint32_t)release_count);
    kernel_switch();
    kernel_leave();
    return TRUE;
}

// A release that would exceed the maximum count changes nothing.
BOOL ReleaseSemaphore(HANDLE handle, LONG release_count, LPLONG previous_count)
{
    kernel_enter();
    struct semaphore *semaphore = semaphore_find(handle);
    if (UNLIKELY(semaphore == NULL))
        return semaphore_refuse(ERROR_INVALID_HANDLE);
    LONG count = semaphore->count;
    if (UNLIKELY((DWORD)release_count - 1 >= (DWORD)(semaphore->maximum - count))) // no release, or too many
        return semaphore_refuse(release_count <= 0 ? ERROR_INVALID_PARAMETER : ERROR_TOO_MANY_POSTS);
    if (((uintptr_t)semaphore->object.waiters.sole | semaphore->object.waiters.owed) != 0)
        return semaphore_wake(semaphore, release_count, previous_count);
    if (previous_count != NULL)
        *previous_count = count;
    semaphore->count = count + release_count;
    kernel_leave();
    return TRUE;
}
