// SPDX-License-Identifier: MIT OR Apache-2.0
// Detent: creates threads for the other files of this port.
#ifndef BACKWALL_PORT_DETENT_THREADS_H
#define BACKWALL_PORT_DETENT_THREADS_H

#include "detent.h"

// Converts a priority on the probe's scale (1 to 99, 99 highest) to the kernel's, in which 0 is the highest.
int detent_priority(unsigned priority);
// A thread that waits for ResumeThread, with the priority of ordinary threads. The caller closes its handle. NULL if the kernel
// has no more threads; *refusal says so.
HANDLE detent_thread_suspended(void (*run)(void *argument), void *argument, const char **refusal);
// A thread that runs with the caller's priority. The caller closes its handle. NULL if the kernel has no more threads; *refusal
// says so.
HANDLE detent_thread_make(void (*run)(void *argument), void *argument, const char **refusal);

// Address of the connector's data register to which marks are written; 0: no marks.
extern uint16_t detent_mark;
// Releases the kernel's objects behind the critical sections of the current operation.
void detent_sections_end(void);

#endif
