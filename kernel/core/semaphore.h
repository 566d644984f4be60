// SPDX-License-Identifier: MIT OR Apache-2.0
// The type of a semaphore, and its inline functions.
#ifndef DETENT_SEMAPHORE_H
#define DETENT_SEMAPHORE_H

#include "core/likely.h"
#include "core/object.h"
#include "limits.h"

struct semaphore {
    _Alignas(64) struct object object; // so that a masked handle is the semaphore's offset
    int32_t count, maximum;
};

_Static_assert(sizeof(struct semaphore) == 64, "what a handle's index is multiplied by");

extern struct semaphore semaphores[SEMAPHORES_MAX]; // defined in objects.c

static inline struct semaphore *semaphore_find(HANDLE handle) // NULL if the handle is not a semaphore's
{
    uintptr_t offset = (uintptr_t)handle & ((SEMAPHORES_MAX - 1u) * sizeof(struct semaphore));
    struct semaphore *semaphore = (struct semaphore *)((char *)semaphores + offset);
    return LIKELY(semaphore->object.handle == (uintptr_t)handle) ? semaphore : NULL;
}

static inline bool semaphore_poll(struct semaphore *semaphore)
{
    if (semaphore->count == 0)
        return false;
    semaphore->count--;
    return true;
}

#endif
