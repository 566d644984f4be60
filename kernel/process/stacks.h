// SPDX-License-Identifier: MIT OR Apache-2.0
// Stacks of threads of processes.
#ifndef DETENT_PROCESS_STACKS_H
#define DETENT_PROCESS_STACKS_H

#include "process/process.h"

uint64_t process_stack_top(const struct process_thread *thread);
bool process_stack_holds(const struct process *process, uint64_t address,
                         bool *guard); // whether a thread's stack holds the address; *guard: a guard page does
uint64_t process_stack_bytes(uint64_t wanted, uint64_t flags); // arguments as in CreateThread; 0: larger than allowed

#endif
