// SPDX-License-Identifier: MIT OR Apache-2.0
// Detent: the objects that both threads of an operation use.
//
// If the partner may be a process of its own (the build of such an image sets DETENT_PROCESSES), a shared word cannot
// hold a handle, because a handle is valid only in its process. The word then holds a number. Each process opens the
// object that is named after this number and has its own handle. In the kernel's own image the word holds the handle.
#ifndef BACKWALL_PORT_DETENT_OBJECTS_H
#define BACKWALL_PORT_DETENT_OBJECTS_H

#include "port.h"

#include "detent.h"

#include <stdatomic.h>

enum detent_kind { DETENT_EVENT, DETENT_SEMAPHORE, DETENT_MUTEX };

// Creates the object, or opens the one that the word refers to. NULL if there are no more objects.
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
