// SPDX-License-Identifier: MIT OR Apache-2.0
// Threads of processes: kernel threads with a routine that enters user mode and does not return.
#include "process/threads.h"

#include "process/stacks.h"
#include "process/handles.h"
#include "process/pages.h"
#include "process/server.h"

#include "core/call.h"
#include "core/create.h"
#include "core/error.h"
#include "core/ready.h"
#include "core/threads.h"

void switch_from_process(struct thread *from, struct thread *to);

void (*switch_of_kernel)(struct thread *from, struct thread *to); // the usual function while no process runs

void process_threads_start(void)
{
    switch_of_kernel = switch_usual;
}

// From now on, an interrupt in user mode uses this thread's stack from its top; what is on the stack is not needed any more.
static DWORD process_thread_main(LPVOID argument)
{
    struct process_thread *thread = argument;
    uint64_t stack = (uint64_t)stack_fpu_area((unsigned)(kernel.current - threads));
    thread->visits_floor = stack - VISITS_STACK_BYTES;
    kernel_enter();
    kernel_stack_use(stack);
    tables_use(thread->process);
    switch_usual = switch_to = switch_from_process;
    kernel_leave();
    user_begin(thread->start, USER_STACK_BEGIN(process_stack_top(thread)), thread->arguments[0], thread->arguments[1],
               thread->process->flags, stack);
}

struct process_thread *process_thread_create(struct process *process, uint64_t start, const uint64_t arguments[2],
                                             uint64_t stack_bytes, uint32_t priority)
{
    for (unsigned i = 0; i < PROCESS_THREADS_MAX; i++) {
        struct process_thread *thread = &process->threads[i];
        if (thread->thread != NULL)
            continue;
        *thread = (struct process_thread){
            .process = process, .start = start, .arguments = {arguments[0], arguments[1]}, .stack_bytes = stack_bytes};
        thread->thread = thread_create(process_thread_main, thread, priority, true);
        return thread->thread != NULL ? thread : NULL;
    }
    thread_error(ERROR_NOT_ENOUGH_MEMORY);
    return NULL;
}

struct process_thread *process_thread_find(HANDLE handle)
{
    kernel_enter();
    const struct thread *thread = thread_find(handle);
    struct process_thread *found = thread != NULL && thread->start == process_thread_main ? thread->argument : NULL;
    bool known = found != NULL && found->thread == (HANDLE)thread->object.handle;
    kernel_leave();
    return known ? found : NULL;
}

void process_thread_forget(struct process_thread *thread)
{
    visits_end(thread);
    pages_unmap(thread->process, process_stack_top(thread) - thread->stack_bytes, thread->stack_bytes);
    CloseHandle(thread->thread);
    thread->thread = NULL;
}

void process_leave(void)
{
    kernel_enter();
    switch_usual = switch_of_kernel;
    if (switch_to == switch_from_process) // otherwise the floating-point switch comes first
        switch_to = switch_of_kernel;
    tables_use(&process_none);
    kernel_leave();
}
