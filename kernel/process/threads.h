// SPDX-License-Identifier: MIT OR Apache-2.0
// Threads of processes. With the lock on all processes, but for the last two.
#ifndef DETENT_PROCESS_THREADS_H
#define DETENT_PROCESS_THREADS_H

#include "process/process.h"

extern void (*switch_of_kernel)(struct thread *from, struct thread *to);
void process_threads_start(void);
// A suspended thread of that process that starts in user mode at start; NULL and an error if none can be created.
struct process_thread *process_thread_create(struct process *process, uint64_t start, const uint64_t arguments[2],
                                             uint64_t stack_bytes, uint32_t priority);
struct process_thread *process_thread_find(HANDLE thread); // by the kernel's handle; NULL: a thread of no process
void process_thread_forget(struct process_thread *thread); // it has left user mode for good: frees place and stack
void process_leave(void); // makes the running thread a kernel thread, so that its process can be freed

#endif
