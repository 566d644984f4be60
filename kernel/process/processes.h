// SPDX-License-Identifier: MIT OR Apache-2.0
// Creates, starts and ends processes.
#ifndef DETENT_PROCESS_PROCESSES_H
#define DETENT_PROCESS_PROCESSES_H

#include "process/process.h"

// Call this before any other function here, and only once. False if the machine lacks something that processes need, or has no
// memory.
bool processes_start(void);
// Starts a program of the boot module with one thread of that priority, suspended or not. NULL and an error on failure. The
// caller has the process open and must call process_close.
struct process *process_create(const char *program, const char *command, uint32_t priority, bool suspended);
// Ends the process; any thread may call it. Does not return if the process is the caller's own. Does nothing if the
// process has ended.
void process_end(struct process *process, DWORD exit_code);
// Call with the lock held after ending that thread, which is not the running one. If it was the last thread of its
// process, the process ends too. True if the running thread was in that process and must leave it when the lock is
// released (process_running_end).
bool process_thread_ended(struct process_thread *thread, DWORD exit_code);
// If the running thread is a visitor, it returns to its own process; otherwise it ends.
_Noreturn void process_running_end(DWORD exit_code);
// Ends the running thread, and its process if it was the last one.
_Noreturn void process_thread_exit(DWORD exit_code);

#endif
