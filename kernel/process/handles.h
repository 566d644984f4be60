// SPDX-License-Identifier: MIT OR Apache-2.0
// Handles of a process: its own numbers for the kernel's objects. So a process can use only objects that it has opened.
#ifndef DETENT_PROCESS_HANDLES_H
#define DETENT_PROCESS_HANDLES_H

#include "core/likely.h"
#include "process/process.h"

void handles_init(struct process *process);
// Gives the kernel's open handle a number in that process. If the process has too many handles, closes the object, sets an error
// and returns 0. Also 0 for NULL.
uint64_t handle_give(struct process *process, HANDLE object);
uint64_t handle_give_process(struct process *process, struct process *other);   // opens the process for the handle
uint64_t handle_give_mapping(struct process *process, struct mapping *mapping); // opens the mapping for the handle
BOOL handle_close(uint64_t handle); // a handle of the running thread's process
void handles_close_all(struct process *process);
void object_end(HANDLE object);          // closes the kernel's handle for a process that ends, whoever owns the object
HANDLE handle_open_again(HANDLE object); // opens the kernel's handle once more
HANDLE handle_rare(uint64_t handle);     // the kernel's handle of an object to wait for, processes included; NULL: none

// The kernel's handle; NULL, which the kernel refuses, if the running thread's process has no such handle.
static inline HANDLE handle_object(uint64_t handle)
{
    const struct place *place = &process_current->places[HANDLE_PLACE(handle)];
    return (HANDLE)(uintptr_t)(place->handle == handle ? place->object : 0);
}

// NULL if it is not a handle of a process. Finds the pseudo-handle of GetCurrentProcess too.
static inline struct process *handle_process(uint64_t handle)
{
    uint64_t place = HANDLE_PLACE(handle);
    if (LIKELY(process_current->places[place].handle == handle))
        return process_current->processes[place];
    return handle == HANDLE_CURRENT_PROCESS ? process_current : NULL;
}

// NULL if it is not a handle of shared memory.
static inline struct mapping *handle_mapping(uint64_t handle)
{
    uint64_t place = HANDLE_PLACE(handle);
    return process_current->places[place].handle == handle ? process_current->mappings[place] : NULL;
}

#endif
