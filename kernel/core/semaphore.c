// SPDX-License-Identifier: MIT OR Apache-2.0
// Semaphores: a count that nobody owns, so nobody inherits.
#include "core.h"

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

bool semaphore_poll(struct semaphore *semaphore)
{
    if (semaphore->count == 0)
        return false;
    semaphore->count--;
    return true;
}

// Waiters are released first, one for each of the count, and none of them may exceed the maximum.
BOOL ReleaseSemaphore(HANDLE handle, LONG release_count, LPLONG previous_count)
{
    struct semaphore *semaphore = &semaphores[HANDLE_INDEX(handle, SEMAPHORES_MAX)];
    if (semaphore->object.handle != (uintptr_t)handle)
        return thread_error(ERROR_INVALID_HANDLE);
    if (release_count <= 0)
        return thread_error(ERROR_INVALID_PARAMETER);
    kernel_enter();
    if (release_count > semaphore->maximum - semaphore->count) {
        kernel_leave();
        return thread_error(ERROR_TOO_MANY_POSTS);
    }
    if (previous_count != NULL)
        *previous_count = semaphore->count;
    struct wait *wait;
    while (release_count > 0 && (wait = waiters_take(&semaphore->object.waiters)) != NULL) { // at most THREADS_MAX
        thread_unblock(wait->thread, WAIT_OBJECT_0 + wait->index);
        release_count--;
    }
    semaphore->count += release_count;
    kernel_switch();
    kernel_leave();
    return TRUE;
}
