// SPDX-License-Identifier: MIT OR Apache-2.0
// See create.h.
#include "core/create.h"

#include "core/call.h"
#include "core/entries.h"
#include "core/error.h"
#include "core/objects.h"
#include "core/profile.h"
#include "core/ready.h"
#include "core/trail.h"

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

// Until the new thread is complete, no other thread can find it, and no thread can end its creator.
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
