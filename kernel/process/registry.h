// SPDX-License-Identifier: MIT OR Apache-2.0
// The lock on all processes, and the entries of the process table. An entry is free once its process has ended and no handle of
// it is open.
#ifndef DETENT_PROCESS_REGISTRY_H
#define DETENT_PROCESS_REGISTRY_H

#include "process/process.h"

void process_lock_make(void); // call it before all other functions
void process_lock(void);
void process_unlock(void);
void process_close(struct process *process);          // removes one handle; takes the lock
void process_free_if_unused(struct process *process); // call it with the lock held

#endif
