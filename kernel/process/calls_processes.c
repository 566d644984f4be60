// SPDX-License-Identifier: MIT OR Apache-2.0
// The calls by which processes create, end and suspend threads and processes.
#include "process/processes.h"
#include "process/registry.h"
#include "process/stacks.h"
#include "process/threads.h"
#include "process/calls.h"
#include "process/entries.h"
#include "process/handles.h"
#include "process/server.h"
#include "process/user.h"

#include "core/error.h"
#include "core/panic.h"
#include "core/profile.h"
#include "core/ready.h"

static bool is_self(HANDLE thread)
{
    return thread == HANDLE_CURRENT_THREAD || thread == (HANDLE)kernel.current->object.handle;
}

// No thread may be suspended while it holds the lock on all processes. Otherwise all other threads would wait for it.
uint64_t call_SuspendThread(uint64_t handle)
{
    HANDLE thread = handle_object(handle);
    if (is_self(thread))
        return SuspendThread(thread);
    process_lock();
    DWORD earlier = SuspendThread(thread);
    process_unlock();
    return earlier;
}

uint64_t call_TerminateThread(uint64_t handle, uint64_t exit_code)
{
    if (is_self(handle_object(handle)))
        process_thread_exit((DWORD)exit_code);
    process_lock();
    HANDLE thread = handle_object(handle);
    struct process_thread *known = process_thread_find(thread);
    BOOL done = TerminateThread(thread, (DWORD)exit_code);
    bool running = done && known != NULL && process_thread_ended(known, (DWORD)exit_code);
    process_unlock();
    if (running)
        process_running_end((DWORD)exit_code);
    return (uint64_t)done;
}

uint64_t call_ExitThread(uint64_t exit_code)
{
    process_thread_exit((DWORD)exit_code);
}

// Starts a thread in the running thread's process and returns the process's handle for it.
static uint64_t thread_start(const struct thread_to_make *wanted, DWORD *id)
{
    struct process_thread *made = process_thread_create(process_current, wanted->start, wanted->arguments,
                                                        process_stack_bytes(wanted->stack_bytes, wanted->flags),
                                                        profile_old_level(THREAD_PRIORITY_NORMAL));
    if (made == NULL)
        return 0;
    *id = (DWORD)(uintptr_t)made->thread;
    uint64_t handle = handle_give(process_current, handle_open_again(made->thread));
    if (!(wanted->flags & CREATE_SUSPENDED))
        ResumeThread(made->thread);
    return handle;
}

uint64_t call_thread_make(uint64_t from, uint64_t id_to)
{
    struct thread_to_make wanted;
    DWORD id;
    uint64_t handle = 0;
    if (!user_read(&wanted, from, sizeof wanted) || (id_to != 0 && !user_can_take(id_to, sizeof id)))
        return thread_error(ERROR_NOACCESS);
    if (!user_holds(wanted.start, 1) || wanted.flags & ~(uint64_t)(CREATE_SUSPENDED | STACK_SIZE_PARAM_IS_A_RESERVATION)
        || process_stack_bytes(wanted.stack_bytes, wanted.flags) == 0)
        return thread_error(ERROR_INVALID_PARAMETER);
    process_lock();
    if (process_current->first_free == 0)
        thread_error(ERROR_NOT_ENOUGH_MEMORY);
    else
        handle = thread_start(&wanted, &id);
    process_unlock();
    if (handle != 0 && id_to != 0)
        user_write(id_to, &id, sizeof id);
    return handle;
}

// Creates a process and both of its handles. If either handle fails, no process remains.
static bool process_start(const char *program, const char *command, DWORD flags, PROCESS_INFORMATION *made)
{
    uint32_t priority = profile_old_level(THREAD_PRIORITY_NORMAL);
    struct process *process = process_create(program, command, priority, true);
    if (process == NULL)
        return false;
    HANDLE thread = process->threads[0].thread;
    *made = (PROCESS_INFORMATION){.dwProcessId = process->id, .dwThreadId = (DWORD)(uintptr_t)thread};
    made->hThread = (HANDLE)handle_give(process_current, handle_open_again(thread));
    process->opens++;
    made->hProcess = made->hThread != NULL ? (HANDLE)handle_give_process(process_current, process) : NULL;
    bool given = made->hProcess != NULL;
    if (!given) {
        process->opens -= made->hThread == NULL;
        handle_close((uint64_t)made->hThread);
        process_end(process, 0);
        thread_error(ERROR_NOT_ENOUGH_MEMORY);
    } else if (!(flags & CREATE_SUSPENDED)) {
        ResumeThread(thread);
    }
    process_close(process);
    return given;
}

bool text_read(char *text, uint64_t from, uint32_t room)
{
    uint32_t length = user_holds(from, 1) ? user_copy_text(text, (const char *)from, room) : MAXDWORD;
    if (length == MAXDWORD)
        return thread_error(ERROR_NOACCESS);
    return length < room || thread_error(ERROR_FILENAME_EXCED_RANGE);
}

uint64_t call_process_make(uint64_t program_from, uint64_t command_from, uint64_t flags, uint64_t to)
{
    char program[PROCESS_NAME_CHARS], command[PROCESS_COMMAND_CHARS] = "";
    PROCESS_INFORMATION made;
    if (flags & ~(uint64_t)CREATE_SUSPENDED)
        return thread_error(ERROR_INVALID_PARAMETER);
    if (!text_read(program, program_from, sizeof program)
        || (command_from != 0 && !text_read(command, command_from, sizeof command)))
        return FALSE;
    if (to & 7 || !user_holds(to, sizeof made) || !user_can_take(to, 8) || !user_can_take(to + sizeof made - 8, 8))
        return thread_error(ERROR_NOACCESS);
    process_lock();
    bool started = process_start(program, command, (DWORD)flags, &made);
    process_unlock();
    return started && (user_write(to, &made, sizeof made) || thread_error(ERROR_NOACCESS));
}

uint64_t call_ExitProcess(uint64_t exit_code)
{
    process_end(process_current, (DWORD)exit_code);
    panic(__func__, "a process that has ended runs");
}

uint64_t call_TerminateProcess(uint64_t handle, uint64_t exit_code)
{
    process_lock();
    struct process *process = handle_process(handle);
    DWORD refused = process == NULL              ? ERROR_INVALID_HANDLE
                    : process_has_ended(process) ? ERROR_ACCESS_DENIED
                                                 : ERROR_SUCCESS;
    bool own = process != NULL && visits_lead_to(process_thread_current(), process);
    if (refused == ERROR_SUCCESS && !own)
        process_end(process, (DWORD)exit_code);
    process_unlock();
    if (refused == ERROR_SUCCESS && own)
        process_end(process, (DWORD)exit_code); // its memory stays while the running thread is in it
    return refused == ERROR_SUCCESS || thread_error(refused);
}

uint64_t call_GetExitCodeProcess(uint64_t handle, uint64_t to)
{
    if (!user_can_take(to, sizeof(DWORD)))
        return thread_error(ERROR_NOACCESS);
    process_lock();
    const struct process *process = handle_process(handle);
    DWORD exit_code = process != NULL ? process->exit_code : 0;
    process_unlock();
    if (process == NULL)
        return thread_error(ERROR_INVALID_HANDLE);
    return user_write(to, &exit_code, sizeof exit_code) || thread_error(ERROR_NOACCESS);
}
