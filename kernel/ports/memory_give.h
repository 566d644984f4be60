// SPDX-License-Identifier: MIT OR Apache-2.0
// Allocates memory that is never freed, for a port's memory_take (port.h). The port knows where the memory begins and ends.
#ifndef DETENT_MEMORY_GIVE_H
#define DETENT_MEMORY_GIVE_H

#include "core/call.h"
#include "machine.h"

// Allocates whole zeroed pages from *next on; *next must be the first address of a page. NULL if there are not enough
// pages before end.
static inline void *memory_give(uint64_t *next, uint64_t end, size_t bytes)
{
    uint64_t size = (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    uint64_t *taken = NULL;
    kernel_enter();
    if (size <= end - *next) {
        taken = (uint64_t *)*next;
        *next += size;
    }
    kernel_leave();
    for (size_t i = 0; taken != NULL && i < size / sizeof *taken; i++)
        taken[i] = 0;
    return taken;
}

#endif
