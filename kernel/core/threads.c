// SPDX-License-Identifier: MIT OR Apache-2.0
// The calls that suspend and resume threads, and those by which a thread asks about itself.
#include "core/threads.h"

#include "core/broadcast.h"
#include "core/call.h"
#include "core/error.h"
#include "core/ready.h"

struct thread *thread_find(HANDLE handle)
{
    struct thread *thread = &threads[HANDLE_INDEX(handle, THREADS_MAX)];
    if (LIKELY(thread->object.handle == (uintptr_t)handle))
        return thread;
    return handle == HANDLE_CURRENT_THREAD ? kernel.current : NULL;
}

static bool thread_refused(DWORD error)
{
    kernel_leave();
    return thread_error(error);
}

SELDOM BOOL GetExitCodeThread(HANDLE handle, LPDWORD exit_code)
{
    if (exit_code == NULL)
        return thread_error(ERROR_INVALID_PARAMETER);
    kernel_enter();
    struct thread *thread = thread_find(handle);
    if (thread == NULL)
        return thread_refused(ERROR_INVALID_HANDLE);
    *exit_code = thread->ended ? thread->exit_code : STILL_ACTIVE;
    kernel_leave();
    return TRUE;
}

HANDLE GetCurrentThread(void)
{
    return HANDLE_CURRENT_THREAD;
}
DWORD GetCurrentThreadId(void)
{
    return (DWORD)kernel.current->object.handle;
}

SELDOM __attribute__((noinline)) struct thread *thread_at_rest(HANDLE handle)
{
    struct thread *thread = thread_find(handle);
    while (thread != NULL && thread->broadcasting != NULL && thread->broadcasting->waiters.owed != 0) {
        broadcast_finish(thread->broadcasting);
        thread = thread_find(handle);
    }
    return thread;
}

DWORD SuspendThread(HANDLE handle)
{
    kernel_enter();
    struct thread *thread = kernel.current;
    if (handle != HANDLE_CURRENT_THREAD)
        thread = thread_at_rest(handle);
    if (UNLIKELY(thread == NULL)) {
        thread_refused(ERROR_INVALID_HANDLE);
        return MAXDWORD;
    }
    DWORD earlier = thread->suspend_count;
    if (UNLIKELY(thread->state & STATE_ENDED || earlier == SUSPEND_COUNT_MAX)) {
        thread_refused(ERROR_SIGNAL_REFUSED);
        return MAXDWORD;
    }
    thread->suspend_count++;
    bool ready = !(thread->state & STATE_NOT_READY);
    thread->state |= STATE_SUSPENDED;
    if (ready)
        ready_remove(thread);
    ready_switch();
    kernel_leave();
    return earlier;
}

DWORD ResumeThread(HANDLE handle)
{
    kernel_enter();
    struct thread *thread = thread_find(handle);
    if (UNLIKELY(thread == NULL)) {
        thread_refused(ERROR_INVALID_HANDLE);
        return MAXDWORD;
    }
    DWORD earlier = thread->suspend_count;
    if (earlier > 0 && --thread->suspend_count == 0) {
        thread->state &= ~(uint32_t)STATE_SUSPENDED;
        if (!(thread->state & STATE_NOT_READY))
            ready_add(thread);
        ready_switch();
    }
    kernel_leave();
    return earlier;
}
