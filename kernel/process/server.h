// SPDX-License-Identifier: MIT OR Apache-2.0
// Protected-server calls: a thread goes into the process of a server, on a stack that is there for it, and comes back with the
// result. It stays the same thread, with its priority and what it owns; what changes is whose addresses and handles it sees.
#ifndef DETENT_PROCESS_SERVER_H
#define DETENT_PROCESS_SERVER_H

#include "process/process.h"

void server_reset(struct process *process); // makes it serve nobody
// Call with the lock on all processes. Nobody can enter any more, and visitors return to where they called from, with an error.
// True if the running thread is one of them: it must return itself when the lock is released (server_return_home).
bool server_close(struct process *process);
_Noreturn void server_return_home(void); // entry.S
// The thread is in no server any more; frees what it had there.
void visits_end(struct process_thread *thread);
bool visits_lead_to(const struct process_thread *thread, const struct process *process);

#endif
