// SPDX-License-Identifier: MIT OR Apache-2.0
// Memory that processes share: pages of no process, which a view leads to. With the lock on all processes.
#ifndef DETENT_PROCESS_MAPPING_H
#define DETENT_PROCESS_MAPPING_H

#include "process/process.h"

struct mapping {
    uint32_t uses;                 // handles and views; 0: the entry is free
    uint32_t pages;                // at most MAPPING_PAGES_MAX
    uint64_t *frames;              // a page that holds the addresses of the frames
    char name[PROCESS_NAME_CHARS]; // empty: no other process can open it
};

// The shared memory with that name (sets ERROR_ALREADY_EXISTS), or a new one; counts one more use. NULL and an error if it cannot
// be created.
struct mapping *mapping_open(const char *name, uint32_t pages);
void mapping_close(struct mapping *mapping); // removes one use; after the last one its pages are freed

#endif
