// SPDX-License-Identifier: MIT OR Apache-2.0
// The type of an object: the first member of everything that has a handle. Each kind has a fixed table (objects.h).
//
// A handle is generation * 65536 + index * 64 + kind. Each entry holds its handle, so one comparison proves kind,
// index and generation at once. An entry that is taken again gets the next generation, so old handles stay invalid.
#ifndef DETENT_OBJECT_H
#define DETENT_OBJECT_H

#include "core/waiters.h"
#include "detent.h"

enum object_kind { KIND_NONE, KIND_THREAD, KIND_EVENT, KIND_SEMAPHORE, KIND_MUTEX, KIND_CHAIN, KIND_FILE, KINDS };
#define HANDLE_KIND(handle) ((uintptr_t)(handle)&63u)
#define HANDLE_INDEX(handle, max) (((uintptr_t)(handle) >> 6) & ((max)-1u))
// The value in a free entry has no kind, and the index of another entry. So it never equals a handle that leads to this
// entry.
#define HANDLE_FREE(index) ((uintptr_t)((index) ^ 1u) * 64)
#define HANDLE_GENERATION 0x10000u
#define HANDLE_GENERATION_LIMIT 0x7FFF0000u
#define HANDLE_CURRENT_THREAD ((HANDLE)65) // GetCurrentThread: means the calling thread. Has no generation

// The header of everything that has a handle. Open handles and the object's own life are counted separately: a thread lives until
// it ends, however often its handles are closed.
struct object {
    uintptr_t handle; // HANDLE_FREE of its index until it is published
    struct waiters waiters;
    uint32_t next_handle; // the current handle, or the one that the entry gets when it is published again
    uint16_t opens;       // open handles; at most OBJECT_OPENS_MAX
    uint16_t next_free;   // 1 + index of the next free entry
    bool alive;           // the object is a thread that has not ended
};

static inline bool object_is_free(const struct object *object)
{
    return HANDLE_KIND(object->handle) == KIND_NONE;
}

#endif
