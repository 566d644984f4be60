// SPDX-License-Identifier: MIT OR Apache-2.0
// The notification that few pages are free (SetOomEvent), and the limits on requests then. Call these with the lock on all
// processes held.
#ifndef DETENT_PROCESS_LOW_H
#define DETENT_PROCESS_LOW_H

#include "process/process.h"

void low_look(uint32_t free);                   // called when the number of free pages has dropped by one to `free`
bool low_allows(uint64_t pages, uint32_t free); // whether a program may take this many pages at once
void low_forget(const struct process *process); // ends the process's notification

// Only one process at a time may be notified. Returns the error if the running thread's process may not be notified, or
// not with these limits; otherwise ERROR_SUCCESS.
DWORD low_refusal(uint32_t low, uint32_t critical);
// Starts the notification with this event, which the caller has opened for it. NULL ends it.
void low_want(HANDLE event, uint32_t low, uint32_t critical, uint32_t low_block, uint32_t critical_block);

#endif
