// SPDX-License-Identifier: MIT OR Apache-2.0
// See server.h. Visits begin and end with the gate closed, so a call takes no lock; the end of a server takes both locks.
#include "process/server.h"

#include "core/call.h"
#include "process/registry.h"

#include "process/calls.h"
#include "process/entries.h"
#include "process/handles.h"
#include "process/pages.h"
#include "process/user.h"
#include "core/ending.h"
#include "core/error.h"
#include "core/names.h"
#include "core/objects.h"
#include "core/threads.h"

_Static_assert(offsetof(struct visit, start) == VISIT_START && offsetof(struct visit, routine) == VISIT_ROUTINE
                   && offsetof(struct visit, stack) == VISIT_STACK && offsetof(struct visit, flags) == VISIT_FLAGS,
               "what entry.S knows of it");

const struct visit *server_enter(uint64_t handle, uint64_t kernel_stack);
bool server_leave(void);
void server_visitor_begin(void);
uint64_t server_call_failed(void);
extern const char server_visitor[];
void switch_from_process(struct thread *from, struct thread *to);

SELDOM void server_reset(struct process *process)
{
    process->visits_free = NULL;
    process->server_name[0] = '\0';
    for (unsigned i = 0; i < PROCESS_VISITS_MAX; i++)
        process->visits[i] = (struct visit){.server = process};
}

// Called from entry.S: the running thread enters the server, and the server's tables are loaded. Returns the address at
// which the thread continues in the server. NULL and an error if the thread cannot enter.
const struct visit *server_enter(uint64_t handle, uint64_t kernel_stack)
{
    kernel_enter();
    struct process *server = handle_process(handle);
    struct process_thread *thread = process_thread_current();
    if (UNLIKELY(server == NULL || server->visits_free == NULL || kernel_stack < thread->visits_floor)) {
        DWORD refused = server == NULL                   ? ERROR_INVALID_HANDLE
                        : server->server_name[0] == '\0' ? ERROR_INVALID_FUNCTION
                                                         : ERROR_BUSY;
        kernel_leave();
        thread_error(refused);
        return NULL;
    }
    struct visit *visit = server->visits_free;
    server->visits_free = visit->outer;
    visit->thread = thread;
    visit->caller = process_current;
    visit->outer = thread->visit;
    visit->kernel_stack = kernel_stack;
    thread->visit = visit;
    tables_load(server);
    kernel_leave();
    return visit;
}

// Call with the gate closed.
static inline void visit_end(struct visit *visit)
{
    struct process *server = visit->server;
    visit->thread->visit = visit->outer;
    visit->thread = NULL;
    if (UNLIKELY(server->server_name[0] == '\0')) // the process is no longer a server
        return;
    visit->outer = server->visits_free;
    server->visits_free = visit;
}

// Called from entry.S: the running thread leaves the server, and the caller's tables are loaded. False and an error if it is in
// no server.
bool server_leave(void)
{
    struct visit *visit = process_thread_current()->visit;
    if (visit == NULL)
        return thread_error(ERROR_INVALID_FUNCTION);
    kernel_enter();
    visit_end(visit);
    tables_load(visit->caller);
    kernel_leave();
    return true;
}

SELDOM void visits_end(struct process_thread *thread)
{
    kernel_enter();
    while (thread->visit != NULL) // at most PROCESS_VISITS_MAX rounds in each process
        visit_end(thread->visit);
    kernel_leave();
}

SELDOM bool visits_lead_to(const struct process_thread *thread, const struct process *process)
{
    bool found = thread->process == process;
    kernel_enter();
    for (const struct visit *visit = thread->visit; visit != NULL && !found; visit = visit->outer)
        found = visit->server == process;
    kernel_leave();
    return found;
}

// The thread leaves that server, and the servers that it called from there. Gate closed.
SELDOM static void visitor_leave(struct process_thread *thread, const struct process *server)
{
    const struct visit *outermost = NULL, *rest;
    for (const struct visit *visit = thread->visit; visit != NULL; visit = visit->outer)
        outermost = visit->server == server ? visit : outermost;
    thread->return_stack = outermost->kernel_stack;
    thread->return_to = outermost->caller;
    rest = outermost->outer;
    while (thread->visit != rest)
        visit_end(thread->visit);
}

// Sends the thread back to where its own process made the call. It abandons what the thread did or waited for in the kernel,
// which is as safe as TerminateThread.
SELDOM static void visitor_send_home(struct process_thread *visitor, const struct process *server)
{
    object_lock();
    kernel_enter();
    struct thread *thread = thread_at_rest(visitor->thread);
    thread_withdraw(thread, STATE_SUSPENDED);
    thread->suspend_count = 1;
    visitor_leave(visitor, server);
    thread->stack_pointer = switch_frame_make(visitor->return_stack, server_visitor);
    kernel_leave();
    object_unlock();
    ResumeThread(visitor->thread);
}

SELDOM void server_visitor_begin(void)
{
    switch_usual = switch_to = switch_from_process;
    tables_use(process_thread_current()->return_to);
    kernel_leave();
}

SELDOM uint64_t server_call_failed(void)
{
    thread_error(ERROR_PROCESS_ABORTED);
    return process_thread_current()->return_stack;
}

SELDOM bool server_close(struct process *process)
{
    bool running = false;
    kernel_enter();
    process->visits_free = NULL;
    process->server_name[0] = '\0';
    kernel_leave();
    for (unsigned i = 0; i < PROCESS_VISITS_MAX; i++) {
        struct process_thread *visitor = process->visits[i].thread;
        if (visitor == NULL || visitor->process == process) // the process's own threads end with it
            continue;
        if ((uintptr_t)visitor->thread != kernel.current->object.handle) {
            visitor_send_home(visitor, process);
            continue;
        }
        kernel_enter();
        visitor_leave(visitor, process);
        tables_use(visitor->return_to);
        kernel_leave();
        running = true;
    }
    return running;
}

SELDOM static struct process *server_find(const char *name)
{
    for (struct process *process = processes; process < processes + PROCESSES_MAX; process++)
        if (process->ended != NULL && !process_has_ended(process) && names_equal(process->server_name, name))
            return process;
    return NULL;
}

// Copies a server's name. False and an error if the name is not accessible, too long or empty.
SELDOM static bool name_read(char *name, uint64_t from)
{
    return text_read(name, from, PROCESS_NAME_CHARS) && (name[0] != '\0' || thread_error(ERROR_INVALID_PARAMETER));
}

// Makes the process the server with that name. Each call enters the process at `start`, which gets the routine as an
// argument.
SELDOM uint64_t call_server_make(uint64_t name_from, uint64_t start, uint64_t routine)
{
    char name[PROCESS_NAME_CHARS] = "";
    struct process *process = process_current;
    if (!name_read(name, name_from))
        return FALSE;
    if (!user_holds(start, 1))
        return thread_error(ERROR_INVALID_PARAMETER);
    process_lock();
    bool known = process->server_name[0] != '\0' || server_find(name) != NULL;
    for (unsigned i = 0; i < PROCESS_VISITS_MAX && !known; i++) {
        uint64_t top = USER_STACK_TOP((uint64_t)PROCESS_THREADS_MAX + i);
        process->visits[i] = (struct visit){.server = process,
                                            .start = start,
                                            .routine = routine,
                                            .stack = USER_STACK_BEGIN(top),
                                            .flags = process->flags};
        process->visits[i].outer = i + 1 < PROCESS_VISITS_MAX ? &process->visits[i + 1] : NULL;
    }
    if (!known) {
        __builtin_memcpy(process->server_name, name, sizeof name);
        process->visits_free = &process->visits[0];
    }
    process_unlock();
    return !known || thread_error(ERROR_ALREADY_EXISTS);
}

SELDOM uint64_t call_OpenServer(uint64_t name_from)
{
    char name[PROCESS_NAME_CHARS];
    uint64_t handle = 0;
    if (!name_read(name, name_from))
        return 0;
    process_lock();
    struct process *server = server_find(name);
    if (server != NULL) {
        server->opens++;
        handle = handle_give_process(process_current, server);
    }
    process_unlock();
    return server != NULL ? handle : thread_error(ERROR_FILE_NOT_FOUND);
}

// Copies page by page from or to the caller's addresses. False at the first page that does not permit the access.
SELDOM static bool caller_copy(const struct process *caller, uint64_t here, uint64_t there, uint64_t bytes, bool writes)
{
    while (bytes > 0) {
        uint64_t allows, part = PAGE_BYTES - there % PAGE_BYTES;
        uint8_t *page = user_holds(there, 1) ? pages_there(caller, there, &allows) : NULL;
        part = part < bytes ? part : bytes;
        if (page == NULL || (writes && !(allows & PAGE_WRITE)))
            return false;
        page += there % PAGE_BYTES;
        if (!(writes ? user_read(page, here, part) : user_write(here, page, part)))
            return false;
        here += part;
        there += part;
        bytes -= part;
    }
    return true;
}

SELDOM static uint64_t caller_memory(uint64_t here, uint64_t there, uint64_t bytes, bool writes)
{
    const struct visit *visit = process_thread_current()->visit;
    if (visit == NULL || bytes > CALLER_BYTES_MAX)
        return thread_error(visit == NULL ? ERROR_INVALID_FUNCTION : ERROR_INVALID_PARAMETER);
    process_lock();
    bool copied = caller_copy(visit->caller, here, there, bytes, writes);
    process_unlock();
    return copied || thread_error(ERROR_NOACCESS);
}

uint64_t call_ReadCaller(uint64_t to, uint64_t from, uint64_t bytes)
{
    return caller_memory(to, from, bytes, false);
}

uint64_t call_WriteCaller(uint64_t to, uint64_t from, uint64_t bytes)
{
    return caller_memory(from, to, bytes, true);
}
