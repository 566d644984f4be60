// SPDX-License-Identifier: MIT OR Apache-2.0
// Memory that processes share: pages that belong to no process, and that a view maps. Call these with the lock on all processes
// held.
#ifndef DETENT_PROCESS_MAPPING_H
#define DETENT_PROCESS_MAPPING_H

#include "process/process.h"

struct mapping {
    uint32_t uses;                 // handles and views; 0: the entry is free
    uint32_t pages;                // at most MAPPING_PAGES_MAX
    uint64_t *frames;              // a page with the addresses of the frames
    char name[PROCESS_NAME_CHARS]; // empty: no other process can open it
};

// Opens the shared memory with that name (and sets ERROR_ALREADY_EXISTS), or creates it; counts one more use. NULL and an error
// if it cannot be created.
struct mapping *mapping_open(const char *name, uint32_t pages);
void mapping_close(struct mapping *mapping); // removes one use; after the last one its pages are freed

#endif
