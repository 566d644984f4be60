// SPDX-License-Identifier: MIT OR Apache-2.0
// Detent: threads, as its port's other files make them.
#ifndef BACKWALL_PORT_DETENT_THREADS_H
#define BACKWALL_PORT_DETENT_THREADS_H

#include "detent.h"

// The kernel's priority for one of the probe's scale of 1 to 99, where 99 is the most urgent; Detent's most urgent is 0.
int detent_priority(unsigned priority);
// A thread that waits for ResumeThread, with the priority of ordinary ones; who calls closes its handle. NULL when there are no
// more, and *refusal says so.
HANDLE detent_thread_suspended(void (*run)(void *argument), void *argument, const char **refusal);
// A thread that runs with the caller's priority; who calls closes its handle. NULL when there are no more, and *refusal says so.
HANDLE detent_thread_make(void (*run)(void *argument), void *argument, const char **refusal);

// The data register of a connector that marks go to; 0: no marks.
extern uint16_t detent_mark;
// Of the operation under way: what its critical sections hold of the kernel.
void detent_sections_end(void);

#endif
