// SPDX-License-Identifier: MIT OR Apache-2.0
// Semaphores: a count that nobody owns, so nobody inherits.
#include "core/semaphore.h"

#include "core/fast.h"
#include "core/lock.h"

_Alignas(64) struct semaphore semaphores[SEMAPHORES_MAX];

HANDLE CreateSemaphore(LPVOID attributes, LONG initial_count, LONG maximum_count, LPCTSTR name)
{
    if (attributes != NULL || maximum_count <= 0 || initial_count < 0 || initial_count > maximum_count) {
        thread_error(ERROR_INVALID_PARAMETER);
        return NULL;
    }
    DWORD refused;
    object_lock();
    struct semaphore *semaphore = (struct semaphore *)object_open_named(KIND_SEMAPHORE, name, &refused);
    if (semaphore == NULL && refused == ERROR_SUCCESS &&
        (semaphore = (struct semaphore *)object_take(KIND_SEMAPHORE)) != NULL) {
        semaphore->count = initial_count;
        semaphore->maximum = maximum_count;
        object_set_name(&semaphore->object, name);
    }
    object_unlock();
    if (refused != ERROR_SUCCESS)
        thread_error(refused);
    return semaphore != NULL ? (HANDLE)semaphore->object.handle : NULL;
}

// The count is there at once for all; waiters are released one by one.
static __attribute__((noinline)) BOOL semaphore_release(struct semaphore *semaphore)
{
    struct lock lent;
    lock_lend(&lent, semaphore->object.waiters);
    while (semaphore->count > 0 && waiters_release_one(semaphore->object.waiters)) { // at most THREADS_MAX
        semaphore->count--;
        kernel_pass();
    }
    lock_pass(&lent, NULL);
    ready_switch();
    kernel_leave();
    return TRUE;
}

// A count that would exceed the maximum changes nothing.
BOOL ReleaseSemaphore(HANDLE handle, LONG release_count, LPLONG previous_count)
{
    struct semaphore *semaphore = semaphore_find(handle);
    if (UNLIKELY(semaphore == NULL))
        return thread_error(ERROR_INVALID_HANDLE);
    if (UNLIKELY(release_count <= 0))
        return thread_error(ERROR_INVALID_PARAMETER);
    kernel_enter();
    LONG count = semaphore->count;
    if (UNLIKELY(release_count > semaphore->maximum - count)) {
        kernel_leave();
        return thread_error(ERROR_TOO_MANY_POSTS);
    }
    if (previous_count != NULL)
        *previous_count = count;
    semaphore->count = count + release_count;
    if (!waiters_none(semaphore->object.waiters))
        return semaphore_release(semaphore);
    kernel_leave();
    return TRUE;
}
