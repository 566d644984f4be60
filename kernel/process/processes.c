// SPDX-License-Identifier: MIT OR Apache-2.0
// Starts and ends processes, and frees a process when its last handle is closed.
#include "process/processes.h"

#include "process/grants.h"
#include "process/modes.h"
#include "process/program.h"
#include "process/registry.h"
#include "process/threads.h"
#include "process/virtual.h"
#include "process/frames.h"
#include "process/handles.h"
#include "process/low.h"
#include "process/mapping.h"
#include "process/pages.h"
#include "process/section.h"
#include "process/server.h"
#include "process/tables.h"

#include "core/call.h"
#include "core/error.h"
#include "core/ready.h"

static uint32_t last_id;

bool processes_start(void)
{
    process_lock_make();
    process_threads_start();
    return modes_start() && frames_start() && tables_start();
}

static void name_copy(char *to, const char *from, size_t room)
{
    size_t i = 0;
    for (; i + 1 < room && from[i] != '\0'; i++)
        to[i] = from[i];
    to[i] = '\0';
}

// Finds an empty entry, and gives it tables and an event.
static struct process *process_make(const char *program)
{
    struct process *process = processes;
    while (process < processes + PROCESSES_MAX && process->ended != NULL)
        process++;
    if (process == processes + PROCESSES_MAX || !pages_make(process)) {
        thread_error(ERROR_NOT_ENOUGH_MEMORY);
        return NULL;
    }
    process->ended = CreateEvent(NULL, TRUE, FALSE, NULL);
    if (process->ended == NULL) {
        pages_destroy(process);
        return NULL;
    }
    grants_inherit(process);
    process->id = ++last_id;
    process->opens = 1;
    process->exit_code = STILL_ACTIVE;
    process->reservation_count = 0;
    handles_init(process);
    server_reset(process);
    name_copy(process->name, program, sizeof process->name);
    return process;
}

// Loads the program, and puts its command line at the top of its first thread's stack.
static bool process_fill(struct process *process, const char *program, const char *command, uint32_t priority)
{
    uint64_t start;
    if (!program_load(process, program, &start))
        return false;
    const uint64_t arguments[2] = {USER_STACK_TOP(0) - PROCESS_COMMAND_CHARS, 0};
    uint8_t *page = pages_map(process, arguments[0], PAGE_WRITE | PAGE_NO_CODE);
    if (page == NULL)
        return thread_error(ERROR_NOT_ENOUGH_MEMORY);
    name_copy((char *)page + PAGE_BYTES - PROCESS_COMMAND_CHARS, command, PROCESS_COMMAND_CHARS);
    return process_thread_create(process, start, arguments, USER_STACK_BYTES, priority) != NULL;
}

// Frees everything in the kernel that belongs to the process. All its threads have ended, except the running thread,
// which has left the process.
static void process_empty(struct process *process)
{
    grants_end(process);
    handles_close_all(process);
    sections_close(process);
    kernel_enter();
    if (process_current == process)
        tables_use(&process_none);
    kernel_leave();
    pages_destroy(process);
    views_close(process);
    low_forget(process);
}

struct process *process_create(const char *program, const char *command, uint32_t priority, bool suspended)
{
    process_lock();
    struct process *process = process_make(program);
    if (process != NULL && !process_fill(process, program, command, priority)) {
        process_empty(process);
        process_close(process);
        process = NULL;
    }
    HANDLE thread = process != NULL ? process->threads[0].thread : NULL;
    process_unlock();
    if (process != NULL && !suspended)
        ResumeThread(thread);
    return process;
}

// Ends the process's threads, except for the running one. True if the running thread is one of them.
static bool threads_end(struct process *process, DWORD exit_code)
{
    bool own = false;
    for (unsigned i = 0; i < PROCESS_THREADS_MAX; i++) {
        struct process_thread *thread = &process->threads[i];
        if (thread->thread == NULL)
            continue;
        if ((uintptr_t)thread->thread == kernel.current->object.handle)
            own = true;
        else
            TerminateThread(thread->thread, exit_code);
        process_thread_forget(thread);
    }
    return own;
}

// Ends the process. True if the running thread was in the process and must leave it.
static bool process_end_locked(struct process *process, DWORD exit_code)
{
    if (process_has_ended(process))
        return false;
    bool visiting = server_close(process), own = threads_end(process, exit_code);
    if (own)
        process_leave();
    process_empty(process);
    process->exit_code = exit_code;
    SetEvent(process->ended);
    process_free_if_unused(process);
    return own || visiting;
}

// The thread may have ended; its place may then belong to a new thread.
void process_running_end(DWORD exit_code)
{
    if ((uintptr_t)process_thread_current()->thread == kernel.current->object.handle)
        server_return_home();
    ExitThread(exit_code);
}

void process_end(struct process *process, DWORD exit_code)
{
    process_lock();
    bool own = process_end_locked(process, exit_code);
    process_unlock();
    if (own)
        process_running_end(exit_code);
}

static bool is_alone(const struct process_thread *thread)
{
    for (unsigned i = 0; i < PROCESS_THREADS_MAX; i++)
        if (thread->process->threads[i].thread != NULL && &thread->process->threads[i] != thread)
            return false;
    return true;
}

bool process_thread_ended(struct process_thread *thread, DWORD exit_code)
{
    if (is_alone(thread))
        return process_end_locked(thread->process, exit_code);
    process_thread_forget(thread);
    return false;
}

void process_thread_exit(DWORD exit_code)
{
    struct process_thread *thread = process_thread_current();
    process_lock();
    if (is_alone(thread)) {
        process_end_locked(thread->process, exit_code);
    } else {
        process_leave();
        process_thread_forget(thread);
    }
    process_unlock();
    ExitThread(exit_code);
}
