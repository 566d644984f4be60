// SPDX-License-Identifier: MIT OR Apache-2.0
// The tables of one process: which of its addresses are there, and for what. With the lock on all processes.
#ifndef DETENT_PROCESS_PAGES_H
#define DETENT_PROCESS_PAGES_H

#include "pages_inline.h"
#include "process/process.h"

bool pages_make(struct process *process);    // tables of the kernel's half alone; false when there is no frame
void pages_destroy(struct process *process); // the process has none then, and its pages are free
// The page at that address: a new zeroed one, or the existing one, which then permits what either permits. NULL if there is no
// free frame.
uint8_t *pages_map(struct process *process, uint64_t address, uint64_t allows);
// Maps a page that the process does not own. False if there is no frame for a table.
bool pages_share(struct process *process, uint64_t address, uint64_t frame, uint64_t allows);
void pages_unmap(struct process *process, uint64_t address, uint64_t bytes);             // those that are there
uint8_t *pages_there(const struct process *process, uint64_t address, uint64_t *allows); // NULL: it is not

#endif
