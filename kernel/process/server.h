// SPDX-License-Identifier: MIT OR Apache-2.0
// Protected-server calls: a thread enters the process of a server, on a stack reserved there, and returns with the result. It
// remains the same thread, with its priority and the objects it owns, but uses the server's addresses and handles.
#ifndef DETENT_PROCESS_SERVER_H
#define DETENT_PROCESS_SERVER_H

#include "process/process.h"

void server_reset(struct process *process); // makes the process no longer a server
// Call with the lock on all processes held. No thread can enter any more, and visitors return to where they called from, with an
// error. True if the running thread is a visitor: it must return itself when the lock is released (server_return_home).
bool server_close(struct process *process);
_Noreturn void server_return_home(void); // defined in entry.S
// Ends all visits of the thread.
void visits_end(struct process_thread *thread);
bool visits_lead_to(const struct process_thread *thread, const struct process *process);

#endif
