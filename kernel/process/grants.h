// SPDX-License-Identifier: MIT OR Apache-2.0
// Grants: what of the machine a process may use beside its own memory. Nothing, unless who trusts it says so before it runs; what
// it starts has its grants. With the lock on all processes, or before it runs.
#ifndef DETENT_PROCESS_GRANTS_H
#define DETENT_PROCESS_GRANTS_H

#include "process/process.h"

// It may use ports, and mask interrupts with what that brings.
void process_permit_ports(struct process *process);
// It may have that SYSINTR's interrupts, and with them the line that is unmasked and masked for it.
void process_permit_interrupt(struct process *process, DWORD sysintr);

// With the lock on all processes.
// From who makes it: the running thread's process, or the kernel, which gives none.
void grants_inherit(struct process *process);
void grants_end(struct process *process); // its interrupts are nobody's again

#endif
