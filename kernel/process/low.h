// SPDX-License-Identifier: MIT OR Apache-2.0
// Who wants to know that pages become few (SetOomEvent), and what is refused then. With the lock on all processes.
#ifndef DETENT_PROCESS_LOW_H
#define DETENT_PROCESS_LOW_H

#include "process/process.h"

void low_look(uint32_t free);                   // so many pages are left, one less than before
bool low_allows(uint64_t pages);                // so many at once, by a program
void low_forget(const struct process *process); // what it has asked for is asked for no more

#endif
