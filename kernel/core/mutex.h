// SPDX-License-Identifier: MIT OR Apache-2.0
// Mutexes.
#ifndef DETENT_MUTEX_H
#define DETENT_MUTEX_H

#include "core/lock.h"
#include "core/likely.h"
#include "core/object.h"
#include "limits.h"

struct mutex {
    _Alignas(128) struct object object; // so that a masked handle gives its offset by one shift
    struct lock lock;
    uint32_t recursion; // waits of the owner beyond its first; 0 while nobody owns
    bool abandoned;     // the last owner ended without releasing
};

_Static_assert(sizeof(struct mutex) == 128, "what a handle's index is multiplied by");

extern struct mutex mutexes[MUTEXES_MAX];

static inline struct mutex *mutex_find(HANDLE handle) // NULL when it is none
{
    uintptr_t offset = (uintptr_t)handle * 2 & (MUTEXES_MAX - 1u) * sizeof(struct mutex);
    struct mutex *mutex = (struct mutex *)((char *)mutexes + offset);
    return LIKELY(mutex->object.handle == (uintptr_t)handle) ? mutex : NULL;
}

void mutex_abandon_all(struct thread *thread);

#endif
