// SPDX-License-Identifier: MIT OR Apache-2.0
// Grants: what of the machine a process may use beside its own memory. Nothing, unless who trusts it says so before it runs; what
// it starts has its grants. With the lock on all processes, or before it runs.
#ifndef DETENT_PROCESS_GRANTS_H
#define DETENT_PROCESS_GRANTS_H

#include "process/process.h"

// The process may use I/O ports, and disable interrupts with them.
void process_permit_ports(struct process *process);
// The process may take the interrupts of that SYSINTR, and mask and unmask its line.
void process_permit_interrupt(struct process *process, DWORD sysintr);

// Call with the lock on all processes. The new process inherits from its creator: the running thread's process, or the kernel,
// which passes nothing on.
void grants_inherit(struct process *process);
void grants_end(struct process *process); // its interrupts can be granted to other processes again

#endif
