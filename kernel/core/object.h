// SPDX-License-Identifier: MIT OR Apache-2.0
// Objects: everything that has a handle, in a fixed table for each kind. Nothing is allocated after start.
//
// A handle is generation * 65536 + index * 64 + kind. Each entry holds its handle, so one comparison proves kind,
// index and generation at once. An entry that is taken again gets the next generation, so old handles stay invalid.
#ifndef DETENT_OBJECT_H
#define DETENT_OBJECT_H

#include "detent.h"

enum object_kind { KIND_NONE, KIND_THREAD, KIND_EVENT, KIND_SEMAPHORE, KIND_MUTEX, KIND_CHAIN, KIND_FILE, KINDS };
#define HANDLE_KIND(handle) ((uintptr_t)(handle) & 63u)
#define HANDLE_INDEX(handle, max) (((uintptr_t)(handle) >> 6) & ((max) - 1u))
#define HANDLE_FREE 1u // like nothing that a caller may hold, NULL included
#define HANDLE_GENERATION 0x10000u
#define HANDLE_GENERATION_LIMIT 0x7FFF0000u

struct waiters;

// The head of everything that has a handle.
struct object {
    uintptr_t handle; // HANDLE_FREE while free
    struct waiters *waiters;
    uint32_t next_handle;  // the handle it will have when it is taken again
    uint16_t references;   // open handles, and one more for a thread that has not ended
    uint16_t next_free;    // 1 + index of the next free entry
};

void object_init(void);
// NULL and ERROR_NOT_ENOUGH_MEMORY when all are in use. One handle is open on what is returned.
struct object *object_take(enum object_kind kind);
void object_give(struct object *object); // drops one reference; the last one frees the entry
struct object *object_find(HANDLE handle); // any kind; NULL when invalid
// Opens the object of that kind and name: NULL with *refused 0 when there is none.
struct object *object_open_named(enum object_kind kind, const char *name, DWORD *refused);
bool names_equal(const char *a, const char *b);
void object_set_name(struct object *object, const char *name);
void object_lock(void); // creating and closing exclude each other; preemptible and inheriting
void object_unlock(void);

#endif
