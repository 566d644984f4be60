// SPDX-License-Identifier: MIT OR Apache-2.0
// Processes made, ended and started.
#ifndef DETENT_PROCESS_PROCESSES_H
#define DETENT_PROCESS_PROCESSES_H

#include "process/process.h"

// Once, before any other; false when the machine lacks what it takes or there is no memory.
bool processes_start(void);
// A program of the boot module, with one thread of that priority, suspended or not. NULL and an error on failure. The caller
// has it open, and gives it back with process_close.
struct process *process_create(const char *program, const char *command, uint32_t priority, bool suspended);
// Ends it, no matter who asks; does not come back when it is the caller's own. What has ended is left as it is.
void process_end(struct process *process, DWORD exit_code);
// That thread has been ended by another: with it its process, if it was the last. With the lock; not the running thread. True:
// the running thread was in that process, and has to leave it when the lock is given back (process_running_end).
bool process_thread_ended(struct process_thread *thread, DWORD exit_code);
// To its own process, if it was a visitor; else to its end.
_Noreturn void process_running_end(DWORD exit_code);
// Ends the running thread, and its process if it was the last.
_Noreturn void process_thread_exit(DWORD exit_code);

#endif
