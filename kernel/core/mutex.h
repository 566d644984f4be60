// SPDX-License-Identifier: MIT OR Apache-2.0
// The type of a mutex, and its inline functions.
#ifndef DETENT_MUTEX_H
#define DETENT_MUTEX_H

#include "core/likely.h"
#include "core/lock.h"
#include "core/object.h"
#include "core/ready.h"
#include "limits.h"

struct mutex {
    _Alignas(128) struct object object; // so that one shift of a masked handle gives the mutex's offset
    struct lock lock;
    uint32_t recursion; // the owner's waits beyond the first; 0 without an owner
    bool abandoned;     // the last owner ended without releasing
};

_Static_assert(sizeof(struct mutex) == 128, "what a handle's index is multiplied by");

extern struct mutex mutexes[MUTEXES_MAX]; // defined in objects.c

static inline struct mutex *mutex_find(HANDLE handle) // NULL if the handle is not a mutex's
{
    uintptr_t offset = (uintptr_t)handle * 2 & (MUTEXES_MAX - 1u) * sizeof(struct mutex);
    struct mutex *mutex = (struct mutex *)((char *)mutexes + offset);
    return LIKELY(mutex->object.handle == (uintptr_t)handle) ? mutex : NULL;
}

// Takes the mutex if it is free or owned by the caller. Changes *result if the last owner ended without releasing it.
static inline bool mutex_poll(struct mutex *mutex, DWORD *result)
{
    struct thread *thread = kernel.current;
    if (UNLIKELY(mutex->lock.owner != NULL)) {
        if (mutex->lock.owner != thread)
            return false;
        mutex->recursion++;
        return true;
    }
    mutex->lock.owner = thread;
    thread->mutexes_owned++;
    if (UNLIKELY(mutex->abandoned)) {
        *result = WAIT_ABANDONED_0;
        mutex->abandoned = false;
    }
    return true;
}

#endif
