// SPDX-License-Identifier: MIT OR Apache-2.0
// The page tables of one process: which of its addresses are mapped, and with which permissions. Call these with the lock on all
// processes held.
#ifndef DETENT_PROCESS_PAGES_H
#define DETENT_PROCESS_PAGES_H

#include "pages_inline.h"
#include "process/process.h"

bool pages_make(struct process *process);    // makes tables with the kernel's half only; false if no page is free
void pages_destroy(struct process *process); // frees the process's tables and pages
// The page at that address: a new zeroed one, or the existing one with the permissions of both. NULL if there is no
// free frame.
uint8_t *pages_map(struct process *process, uint64_t address, uint64_t allows);
// Maps a page that the process does not own. False if there is no frame for a table.
bool pages_share(struct process *process, uint64_t address, uint64_t frame, uint64_t allows);
void pages_unmap(struct process *process, uint64_t address, uint64_t bytes);             // unmaps mapped pages
uint8_t *pages_there(const struct process *process, uint64_t address, uint64_t *allows); // NULL: the page is not mapped

#endif
