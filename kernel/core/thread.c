// SPDX-License-Identifier: MIT OR Apache-2.0
// Threads: created from a fixed table, made ready and blocked, suspended, resumed and ended.
#include "core/thread.h"

#include "core/broadcast.h"
#include "core/fast.h"
#include "core/trail.h"

struct thread threads[THREADS_MAX];
struct thread idle_thread;

bool thread_error(DWORD error)
{
    kernel.current->last_error = error;
    return false;
}

struct thread *thread_find(HANDLE handle)
{
    struct thread *thread = &threads[HANDLE_INDEX(handle, THREADS_MAX)];
    if (LIKELY(thread->object.handle == (uintptr_t)handle))
        return thread;
    return handle == HANDLE_CURRENT_THREAD ? kernel.current : NULL;
}

// Ends a wait or a sleep with that result. A suspended thread stays suspended, and one that still takes
// its places runs already.
void thread_unblock(struct thread *thread, uint32_t wait_result)
{
    uint32_t state = thread->state;
    thread->wait_result = wait_result;
    if (state & STATE_SLEEPING)
        timeout_cancel(thread);
    thread->state = state & (STATE_SUSPENDED | STATE_MULTIPLE);
    if (state & STATE_MULTIPLE || (state & STATE_LOCK && thread->wait.waiters != NULL)) // it has not left its place yet
        waits_follow(thread);
    thread->state = state & STATE_SUSPENDED;
    if (state & STATE_NOT_READY && thread->state == 0)
        ready_add(thread);
}

void thread_block(uint32_t state_bits)
{
    struct thread *thread = kernel.current;
    thread->state |= state_bits;
    ready_remove(thread);
    ready_switch();
}

static void thread_fill(struct thread *thread, LPTHREAD_START_ROUTINE start, LPVOID argument, uint32_t priority)
{
    thread->start = start;
    thread->argument = argument;
    thread->base_priority = thread->link.priority = priority;
    thread->quantum_ms = profile.quantum_ms;
    thread->quantum_left_ms = profile.new_thread_quantum_defect ? 0 : profile.quantum_ms;
    thread->counts_nothing = profile.new_thread_quantum_defect;
    thread->ended = false;
    thread->wait_count = 0;
    thread->mutexes_owned = 0;
    thread->last_error = ERROR_SUCCESS;
    thread->stack_pointer = stack_prepare((unsigned)(thread - threads));
}

// Nobody finds the thread before it is complete, and who creates it is not ended before it is there.
HANDLE thread_create(LPTHREAD_START_ROUTINE start, LPVOID argument, uint32_t priority, bool suspended)
{
    kernel_enter();
    struct object *object;
    while ((object = object_take_closed(KIND_THREAD)) == NULL) {
        kernel_leave();
        if (!thread_more()) {
            thread_error(ERROR_NOT_ENOUGH_MEMORY);
            return NULL;
        }
        kernel_enter();
    }
    struct thread *thread = object_thread(object);
    thread_fill(thread, start, argument, priority);
    HANDLE handle = object_publish(object);
    object->alive = true;
    thread->suspend_count = suspended;
    thread->state = suspended ? STATE_SUSPENDED : 0;
    if (!suspended) {
        ready_add(thread);
        ready_switch();
    }
    kernel_leave();
    return handle;
}

void thread_begin(void)
{
    kernel_leave();
    struct thread *thread = kernel.current;
    if (trail_on)
        trail_note(TRAIL_STARTED, (uint32_t)thread->object.handle);
    ExitThread(thread->start(thread->argument));
}

SELDOM HANDLE CreateThread(LPVOID attributes, DWORD stack_bytes, LPTHREAD_START_ROUTINE start, LPVOID argument,
                           DWORD flags, LPDWORD thread_id)
{
    (void)stack_bytes;
    if (attributes != NULL || start == NULL || (flags & ~(CREATE_SUSPENDED | STACK_SIZE_PARAM_IS_A_RESERVATION))) {
        thread_error(ERROR_INVALID_PARAMETER);
        return NULL;
    }
    HANDLE thread = thread_create(start, argument, profile_old_level(THREAD_PRIORITY_NORMAL), flags & CREATE_SUSPENDED);
    if (thread != NULL && thread_id != NULL)
        *thread_id = (DWORD)(uintptr_t)thread;
    return thread;
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
DWORD GetLastError(void)
{
    return kernel.current->last_error;
}
void SetLastError(DWORD error)
{
    kernel.current->last_error = error;
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
