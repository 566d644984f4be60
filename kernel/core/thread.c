// SPDX-License-Identifier: MIT OR Apache-2.0
// Threads: created from a fixed table, made ready and blocked, suspended, resumed and ended.
#include "core/thread.h"

#include "core/fast.h"
#include "core/lock.h"
#include "core/mutex.h"
#include "core/trail.h"

struct thread threads[THREADS_MAX];
struct thread idle_thread;

#define STACK_CANARY 0xDE7E47DE7E47DE7Eull // at the last eight bytes that a stack may reach

static struct wait thread_waits[THREADS_MAX][WAIT_OBJECTS_MAX];
static struct queue thread_donations[THREADS_MAX + 1];
static _Alignas(64) uint8_t thread_stacks[THREADS_MAX][STACK_BYTES];

void thread_init(void)
{
    for (unsigned i = 0; i < THREADS_MAX; i++) {
        struct thread *thread = &threads[i];
        *thread = (struct thread){.waits = thread_waits[i]};
        thread->donations = &thread_donations[i];
        thread->stack = thread_stacks[i];
        queue_reset(thread->donations);
        for (unsigned w = 0; w < WAIT_OBJECTS_MAX; w++) {
            thread->waits[w].thread = thread;
            thread->waits[w].index = w;
        }
        thread->wait.thread = thread;
    }
    idle_thread.donations = &thread_donations[THREADS_MAX];
    queue_reset(idle_thread.donations);
}

bool thread_error(DWORD error)
{
    kernel.current->last_error = error;
    return false;
}

struct thread *thread_find(HANDLE handle)
{
    struct thread *thread = &threads[HANDLE_INDEX(handle, THREADS_MAX)];
    if (thread->object.handle != (uintptr_t)handle) {
        thread_error(ERROR_INVALID_HANDLE);
        return NULL;
    }
    return thread;
}

// The idle thread looks before it halts.
void thread_check_stacks(void)
{
    for (unsigned i = 0; i < THREADS_MAX; i++) {
        const struct thread *thread = &threads[i];
        if (thread->object.handle != HANDLE_FREE && *(const uint64_t *)(const void *)thread->stack != STACK_CANARY)
            panic(symbol_name((uintptr_t)thread->start, NULL), "this thread's stack has overflowed");
    }
}

// Ends a wait or a sleep with that result. A suspended thread stays suspended, and one that still takes
// its places runs already.
void thread_unblock(struct thread *thread, uint32_t wait_result)
{
    uint32_t state = thread->state;
    thread->wait_result = wait_result;
    if (state & STATE_SLEEPING)
        timeout_cancel(thread);
    if (state & STATE_LOCK)
        waits_end(thread);
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

struct thread *thread_create(LPTHREAD_START_ROUTINE start, LPVOID argument, uint32_t priority, bool suspended)
{
    struct object *object = object_take(KIND_THREAD);
    if (object == NULL)
        return NULL;
    struct thread *thread = &threads[HANDLE_INDEX(object->handle, THREADS_MAX)];
    thread->start = start;
    thread->argument = argument;
    thread->base_priority = thread->link.priority = priority;
    thread->quantum_ms = profile.quantum_ms;
    thread->quantum_left_ms = profile.new_thread_quantum_defect ? 0 : profile.quantum_ms;
    thread->suspend_count = suspended;
    thread->ended = false;
    thread->last_error = ERROR_SUCCESS;
    *(uint64_t *)(void *)thread->stack = STACK_CANARY;
    thread->stack_pointer = stack_prepare(thread->stack + STACK_BYTES);
    thread->state = STATE_SUSPENDED;
    object->references = 2; // the caller's handle and the thread itself
    kernel_enter();
    if (!suspended) {
        thread->state = 0;
        ready_add(thread);
        ready_switch();
    }
    kernel_leave();
    return thread;
}

void thread_begin(void)
{
    kernel_leave();
    struct thread *thread = kernel.current;
    if (trail_on)
        trail_note(TRAIL_STARTED, (uint32_t)thread->object.handle);
    ExitThread(thread->start(thread->argument));
}

HANDLE CreateThread(LPVOID attributes, DWORD stack_bytes, LPTHREAD_START_ROUTINE start, LPVOID argument,
                    DWORD flags, LPDWORD thread_id)
{
    (void)stack_bytes;
    if (attributes != NULL || start == NULL || (flags & ~(CREATE_SUSPENDED | STACK_SIZE_PARAM_IS_A_RESERVATION))) {
        thread_error(ERROR_INVALID_PARAMETER);
        return NULL;
    }
    struct thread *thread = thread_create(start, argument, profile_old_level(THREAD_PRIORITY_NORMAL),
                                          flags & CREATE_SUSPENDED);
    if (thread == NULL)
        return NULL;
    if (thread_id != NULL)
        *thread_id = (DWORD)thread->object.handle;
    return (HANDLE)thread->object.handle;
}

void ExitThread(DWORD exit_code)
{
    struct thread *thread = kernel.current;
    struct lock lent;
    if (trail_on)
        trail_note(TRAIL_ENDED, (uint32_t)thread->object.handle);
    mutex_abandon_all(thread);
    kernel_enter();
    thread->exit_code = exit_code;
    thread->ended = true; // nobody waits from here on
    lock_lend(&lent, thread->object.waiters);
    while (waiters_release_one(thread->object.waiters)) // at most THREADS_MAX
        kernel_pass();
    lock_pass(&lent, NULL);
    object_give(&thread->object);
    thread_block(STATE_ENDED);
    panic(__func__, "an ended thread ran");
}

BOOL GetExitCodeThread(HANDLE handle, LPDWORD exit_code)
{
    struct thread *thread = thread_find(handle);
    if (thread == NULL || exit_code == NULL)
        return thread != NULL && thread_error(ERROR_INVALID_PARAMETER);
    *exit_code = thread->ended ? thread->exit_code : STILL_ACTIVE;
    return TRUE;
}

HANDLE GetCurrentThread(void) { return (HANDLE)kernel.current->object.handle; }
DWORD GetCurrentThreadId(void) { return (DWORD)kernel.current->object.handle; }
DWORD GetLastError(void) { return kernel.current->last_error; }
void SetLastError(DWORD error) { kernel.current->last_error = error; }

DWORD SuspendThread(HANDLE handle)
{
    struct thread *thread = thread_find(handle);
    if (thread == NULL)
        return MAXDWORD;
    kernel_enter();
    DWORD earlier = thread->suspend_count;
    if (thread->state & STATE_ENDED || earlier == SUSPEND_COUNT_MAX) {
        kernel_leave();
        thread_error(ERROR_SIGNAL_REFUSED);
        return MAXDWORD;
    }
    thread->suspend_count++;
    bool ready = !(thread->state & STATE_NOT_READY);
    thread->state |= STATE_SUSPENDED;
    if (ready) {
        ready_settle();
        ready_remove(thread);
    }
    ready_switch();
    kernel_leave();
    return earlier;
}

DWORD ResumeThread(HANDLE handle)
{
    struct thread *thread = thread_find(handle);
    if (thread == NULL)
        return MAXDWORD;
    kernel_enter();
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
