// SPDX-License-Identifier: MIT OR Apache-2.0
// Threads of processes. All but the last two functions need the lock on all processes.
#ifndef DETENT_PROCESS_THREADS_H
#define DETENT_PROCESS_THREADS_H

#include "process/process.h"

extern void (*switch_of_kernel)(struct thread *from, struct thread *to);
void process_threads_start(void);
// Creates a suspended thread of that process that starts in user mode at `start`; NULL and an error on failure.
struct process_thread *process_thread_create(struct process *process, uint64_t start, const uint64_t arguments[2],
                                             uint64_t stack_bytes, uint32_t priority);
struct process_thread *process_thread_find(HANDLE thread); // by the kernel's handle; NULL: a thread of no process
void process_thread_forget(struct process_thread *thread); // frees place and stack, once the thread has left user mode
void process_leave(void); // makes the running thread a kernel thread, so that its process can be freed

#endif
