// SPDX-License-Identifier: MIT OR Apache-2.0
// Grants: what a process may use of the machine besides its own memory. By default it may use nothing; its creator can
// grant more before the process runs. The processes that a process starts get the same grants. Call these with the lock
// on all processes held, or before the process runs.
#ifndef DETENT_PROCESS_GRANTS_H
#define DETENT_PROCESS_GRANTS_H

#include "process/process.h"

// The process may use I/O ports, and disable interrupts with them.
void process_permit_ports(struct process *process);
// The process may take the interrupts of that SYSINTR, and mask and unmask its line.
void process_permit_interrupt(struct process *process, DWORD sysintr);

// Call with the lock on all processes held. The new process gets the grants of its creator: the running thread's process, or the
// kernel, which passes nothing on.
void grants_inherit(struct process *process);
void grants_end(struct process *process); // frees the process's interrupts for others

#endif
