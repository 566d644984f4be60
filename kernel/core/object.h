// SPDX-License-Identifier: MIT OR Apache-2.0
// Objects: everything that has a handle, in a fixed table for each kind. Nothing is allocated after start.
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
// What a free entry holds: no kind, and the index of another entry, so that no value a caller may hold is found equal
// to it in the place where that value leads.
#define HANDLE_FREE(index) ((uintptr_t)((index) ^ 1u) * 64)
#define HANDLE_GENERATION 0x10000u
#define HANDLE_GENERATION_LIMIT 0x7FFF0000u
#define HANDLE_CURRENT_THREAD ((HANDLE)65) // GetCurrentThread: whoever uses it means itself. Of no generation

// The head of everything that has a handle. Open handles and the object's own life are counted apart: a thread lives
// until it ends, however often its handles are closed.
struct object {
    uintptr_t handle; // HANDLE_FREE of its index until it is published
    struct waiters waiters;
    uint32_t next_handle; // the handle it has, or will have when it is published again
    uint16_t opens;       // open handles; at most OBJECT_OPENS_MAX
    uint16_t next_free;   // 1 + index of the next free entry
    bool alive;           // a thread that has not ended
};

static inline bool object_is_free(const struct object *object)
{
    return HANDLE_KIND(object->handle) == KIND_NONE;
}

void object_init(void); // threads' entries come to be with object_add_thread, gate closed, all others are there
void object_add_thread(uint32_t index, struct queue *queue);
// An entry with one open handle that nobody can find yet: NULL and ERROR_NOT_ENOUGH_MEMORY when all are in use. The
// caller fills it in and publishes it.
struct object *object_take(enum object_kind kind);
struct object *object_take_closed(enum object_kind kind); // gate closed: the same, and no error is set
HANDLE object_publish(struct object *object);
void object_free_if_unused(struct object *object); // gate closed: when no handle is open and it does not live
struct object *object_find(HANDLE handle);         // gate closed: any kind; NULL when invalid
// Opens the object of that kind and name: NULL with *refused 0 when there is none.
struct object *object_open_named(enum object_kind kind, const char *name, DWORD *refused);
bool names_equal(const char *a, const char *b);
void object_set_name(struct object *object, const char *name);
void object_lock(void); // creating and closing exclude each other; preemptible and inheriting
void object_unlock(void);
bool object_unlock_unwanted(
    void); // with the gate open or closed: if nobody waits for it; false, and it is held still, else

#endif
