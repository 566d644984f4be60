// SPDX-License-Identifier: MIT OR Apache-2.0
// Who wants to know that pages become few (SetOomEvent), and what is refused then. With the lock on all processes.
#ifndef DETENT_PROCESS_LOW_H
#define DETENT_PROCESS_LOW_H

#include "process/process.h"

void low_look(uint32_t free);                   // so many pages are left, one less than before
bool low_allows(uint64_t pages, uint32_t free); // so many at once, by a program
void low_forget(const struct process *process); // what it has asked for is asked for no more

// One process at a time wants to know. Why the running thread's may not, or with such bounds; ERROR_SUCCESS: it may.
DWORD low_refusal(uint32_t low, uint32_t critical);
// It does; the event has been opened for this. NULL: no more.
void low_want(HANDLE event, uint32_t low, uint32_t critical, uint32_t low_block, uint32_t critical_block);

#endif
