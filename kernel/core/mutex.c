// SPDX-License-Identifier: MIT OR Apache-2.0
// Mutexes: recursive, handed to the highest waiter, abandoned when the owner ends.
#include "core/mutex.h"

#include "core/fast.h"

struct mutex mutexes[MUTEXES_MAX];

HANDLE CreateMutex(LPVOID attributes, BOOL initial_owner, LPCTSTR name)
{
    if (attributes != NULL) {
        thread_error(ERROR_INVALID_PARAMETER);
        return NULL;
    }
    DWORD refused;
    object_lock();
    struct mutex *mutex = (struct mutex *)object_open_named(KIND_MUTEX, name, &refused);
    if (mutex == NULL && refused == ERROR_SUCCESS && (mutex = (struct mutex *)object_take(KIND_MUTEX)) != NULL) {
        mutex->lock.waiters = mutex->object.waiters;
        mutex->lock.link.priority = PRIORITY_IDLE_THREAD;
        mutex->lock.owner = initial_owner ? kernel.current : NULL;
        mutex->recursion = 0;
        mutex->abandoned = false;
        object_set_name(&mutex->object, name);
    }
    object_unlock();
    if (refused != ERROR_SUCCESS)
        thread_error(refused);
    return mutex != NULL ? (HANDLE)mutex->object.handle : NULL;
}

static void mutex_hand_over(struct mutex *mutex, DWORD result)
{
    struct wait *wait = waiters_take(mutex->object.waiters);
    if (wait == NULL) {
        lock_pass(&mutex->lock, NULL);
        mutex->abandoned = result == WAIT_ABANDONED_0;
        return;
    }
    lock_pass(&mutex->lock, wait->thread);
    thread_unblock(wait->thread, result + wait->index);
}

BOOL ReleaseMutex(HANDLE handle)
{
    struct mutex *mutex = mutex_find(handle);
    if (mutex == NULL)
        return thread_error(ERROR_INVALID_HANDLE);
    if (mutex->lock.owner != kernel.current)
        return thread_error(ERROR_NOT_OWNER);
    if (mutex->recursion != 0) {
        mutex->recursion--;
        return TRUE;
    }
    kernel_enter();
    if (waiters_none(mutex->object.waiters)) {
        mutex->lock.owner = NULL;
    } else {
        mutex_hand_over(mutex, WAIT_OBJECT_0);
        ready_switch();
    }
    kernel_leave();
    return TRUE;
}

void mutex_abandon_all(struct thread *thread)
{
    for (unsigned i = 0; i < MUTEXES_MAX; i++) {
        kernel_enter();
        if (mutexes[i].object.handle != HANDLE_FREE && mutexes[i].lock.owner == thread) {
            mutex_hand_over(&mutexes[i], WAIT_ABANDONED_0);
            ready_switch();
        }
        kernel_leave();
    }
}
