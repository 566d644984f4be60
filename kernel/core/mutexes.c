// SPDX-License-Identifier: MIT OR Apache-2.0
// Mutexes: recursive, handed to the highest waiter, abandoned when the owner ends.
#include "core/mutexes.h"

#include "core/call.h"
#include "core/error.h"
#include "core/locks.h"
#include "core/mutex.h"
#include "core/objects.h"
#include "core/waits.h"

SELDOM HANDLE CreateMutex(LPVOID attributes, BOOL initial_owner, LPCTSTR name)
{
    if (attributes != NULL) {
        thread_error(ERROR_INVALID_PARAMETER);
        return NULL;
    }
    DWORD refused;
    HANDLE handle = NULL;
    object_lock();
    struct mutex *mutex = (struct mutex *)object_open_named(KIND_MUTEX, name, &refused);
    if (mutex != NULL) {
        handle = (HANDLE)mutex->object.handle;
    } else if (refused == ERROR_SUCCESS && (mutex = (struct mutex *)object_take(KIND_MUTEX)) != NULL) {
        mutex->lock.waiters = &mutex->object.waiters;
        mutex->lock.link.priority = PRIORITY_IDLE_THREAD;
        mutex->lock.owner = initial_owner ? kernel.current : NULL;
        kernel.current->mutexes_owned += initial_owner != FALSE;
        mutex->recursion = 0;
        mutex->abandoned = false;
        object_set_name(&mutex->object, name);
        handle = object_publish(&mutex->object);
    }
    object_unlock();
    if (refused != ERROR_SUCCESS)
        thread_error(refused);
    return handle;
}

// Passes the mutex from its owner to the highest waiting thread, or to nobody.
static void mutex_hand_over(struct mutex *mutex)
{
    mutex->lock.owner->mutexes_owned--;
    struct thread *owner = lock_hand_over(&mutex->lock, WAIT_OBJECT_0);
    if (owner != NULL)
        owner->mutexes_owned++;
}

static void mutex_abandon(struct mutex *mutex)
{
    mutex->lock.owner->mutexes_owned--;
    mutex->recursion = 0;
    struct thread *owner = lock_take_away(&mutex->lock, WAIT_ABANDONED_0);
    if (owner != NULL)
        owner->mutexes_owned++;
    else
        mutex->abandoned = true;
}

static __attribute__((noinline)) BOOL mutex_refuse(DWORD error)
{
    kernel_leave();
    return thread_error(error);
}

static __attribute__((noinline)) BOOL mutex_release_waited(struct mutex *mutex)
{
    mutex_hand_over(mutex);
    kernel_switch();
    kernel_leave();
    return TRUE;
}

BOOL ReleaseMutex(HANDLE handle)
{
    kernel_enter();
    struct mutex *mutex = mutex_find(handle);
    if (UNLIKELY(mutex == NULL))
        return mutex_refuse(ERROR_INVALID_HANDLE);
    if (UNLIKELY(mutex->lock.owner != kernel.current))
        return mutex_refuse(ERROR_NOT_OWNER);
    if (UNLIKELY(mutex->recursion != 0)) {
        mutex->recursion--;
    } else if (LIKELY(waiters_none(&mutex->object.waiters))) {
        mutex->lock.owner->mutexes_owned--;
        mutex->lock.owner = NULL;
    } else {
        return mutex_release_waited(mutex);
    }
    kernel_leave();
    return TRUE;
}

SELDOM void mutex_abandon_all(struct thread *thread)
{
    for (unsigned i = 0; i < MUTEXES_MAX && thread->mutexes_owned != 0; i++) {
        if (!object_is_free(&mutexes[i].object) && mutexes[i].lock.owner == thread)
            mutex_abandon(&mutexes[i]);
        kernel_pass();
    }
}
