// SPDX-License-Identifier: MIT OR Apache-2.0
// Detent: the objects that both threads of an operation use.
//
// If the partner may be a process of its own (DETENT_PROCESSES, set by the build of such an image), a shared word cannot hold a
// handle, because a handle is only valid in its process. The word then holds a number, and each process has its own handle to the
// object that is named after the number. In the kernel's own image the word holds the handle.
#ifndef BACKWALL_PORT_DETENT_OBJECTS_H
#define BACKWALL_PORT_DETENT_OBJECTS_H

#include "port.h"

#include "detent.h"

#include <stdatomic.h>

enum detent_kind { DETENT_EVENT, DETENT_SEMAPHORE, DETENT_MUTEX };

// Creates the object, or opens the one that the word refers to. NULL if there are no more.
HANDLE detent_object_open(_Atomic uint32_t *word, enum detent_kind kind);

#ifdef DETENT_PROCESSES
#define DETENT_NUMBERS 256u // number 0 belongs to no object

extern HANDLE detent_handles[DETENT_NUMBERS]; // this process's handle of each number

static inline HANDLE detent_object(_Atomic uint32_t *word, enum detent_kind kind)
{
    HANDLE handle = detent_handles[*word % DETENT_NUMBERS];

    return handle ? handle : detent_object_open(word, kind);
}
#else
// A handle has 31 bits.
static inline HANDLE detent_object(_Atomic uint32_t *word, enum detent_kind kind)
{
    uint32_t handle = *word;

    return handle != 0 ? (HANDLE)(uintptr_t)handle : detent_object_open(word, kind);
}
#endif

#endif
