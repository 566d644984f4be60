// SPDX-License-Identifier: MIT OR Apache-2.0
// Processes: an address space, handles and threads. The core does not know processes. A process's thread is a kernel thread whose
// routine enters user mode and does not return. A system call is a call of the kernel by that thread.
//
// Code that changes data about processes, their pages and their handles holds the lock on all processes. A thread that
// ends or suspends a process's thread holds this lock too, so no thread is stopped while it holds the lock. The
// kernel's lock on all objects is taken after this lock. A system call reads data of its own process without a lock.
//
// While a thread of a process runs, the usual switch is switch_from_process, which changes page tables and stacks; kernel threads
// need neither. process_current is the process whose tables are loaded: the running thread's process, if it has one.
#ifndef DETENT_PROCESS_H
#define DETENT_PROCESS_H

#include "core/ready.h"
#include "process/layout.h"
#include "process_inline.h"

// A handle of a process is generation * 4096 + place * 4 + kind; the kind is 0 for the kernel's objects. A place stores its
// handle, so one comparison verifies a handle. Place 0, and the place that GetCurrentThread's pseudo-handle leads to, are never
// used.
#define HANDLE_OF_PROCESS 2u
#define HANDLE_OF_MAPPING 3u
#define HANDLE_CURRENT_PROCESS 66u // value of GetCurrentProcess
#define HANDLE_PLACE(handle) ((handle) >> 2 & (PROCESS_HANDLES_MAX - 1))

struct place {
    uint32_t handle; // 0: the entry is free
    uint32_t object; // the kernel's handle; 0 for other kinds of objects
};

// A visit: a thread that is in a server, or a free place for one.
struct visit {
    uint64_t start, routine, stack, flags; // the server's code, and its process's CPU flags
    uint64_t kernel_stack;                 // kernel stack pointer to restore at the return
    struct process *server, *caller;
    struct process_thread *thread; // NULL: the visit is free
    struct visit *outer;           // the visit from which this one was made, if any; for a free one, the next free one
};

struct process_thread {
    HANDLE thread; // the kernel's handle, opened for this entry; NULL: the entry is free
    struct process *process;
    uint64_t start, arguments[2]; // where user mode begins, and the arguments there
    uint64_t stack_bytes;
    struct visit *visit;   // NULL: the thread is in its own process
    uint64_t visits_floor; // calls of servers may use the kernel stack down to here; the rest belongs to the kernel
    uint64_t return_stack; // if a server has ended: where the thread returns to, and in which process
    struct process *return_to;
};

struct mapping;

struct reservation {
    uint64_t start, bytes;
    struct mapping *mapping; // the view's mapping; NULL: memory of VirtualAlloc
};

// The kernel's representation of a critical section while threads wait for it (section.c).
struct section {
    struct mutex *mutex; // the kernel's mutex; without an owner, the entry stands for no section
    uint64_t address;
};

struct process {
    uint64_t root; // address of its page tables; 0: the process has ended
    struct place places[PROCESS_HANDLES_MAX];
    uint16_t next_free[PROCESS_HANDLES_MAX]; // next free place; 0 ends the list
    uint16_t first_free;
    uint32_t generations[PROCESS_HANDLES_MAX];      // generation of each place's last handle
    struct process *processes[PROCESS_HANDLES_MAX]; // for handles with HANDLE_OF_PROCESS
    struct mapping *mappings[PROCESS_HANDLES_MAX];  // for handles with HANDLE_OF_MAPPING
    uint64_t flags;                                 // CPU flags in user mode
    uint32_t id;
    uint32_t opens; // open handles of the process, in all processes and in the kernel
    HANDLE ended;   // a manual event of the kernel's, set at the end; NULL: the entry is free
    uint32_t exit_code;
    uint64_t interrupts, interrupts_permitted; // a bit for each SYSINTR that the process has, or may have (grants.h)
    struct process_thread threads[PROCESS_THREADS_MAX];
    char name[PROCESS_NAME_CHARS];
    struct reservation reservations[PROCESS_RESERVATIONS_MAX]; // reserved addresses, in ascending order (virtual.c)
    uint32_t reservation_count;
    struct section sections[PROCESS_SECTIONS_MAX]; // the first section_count have a mutex
    uint32_t section_count;
    char server_name[PROCESS_NAME_CHARS]; // empty: the process is no server
    struct visit *visits_free;            // free visits; NULL: no more callers may enter
    struct visit visits[PROCESS_VISITS_MAX];
};

extern struct process processes[PROCESSES_MAX];
extern struct process process_none; // stands for the kernel's own tables
extern struct process *process_current;

// The running thread's entry in its process.
static inline struct process_thread *process_thread_current(void)
{
    return kernel.current->argument;
}

// Makes the CPU use the tables of that process. Gate closed.
static inline void tables_load(struct process *process)
{
    process_current = process;
    root_load(process->root);
}
static inline void tables_use(struct process *process) // switches to its tables unless they are in use already
{
    if (process_current != process)
        tables_load(process);
}

static inline bool process_has_ended(const struct process *process)
{
    return process->root == 0;
}

#endif
