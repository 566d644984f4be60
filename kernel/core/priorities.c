// SPDX-License-Identifier: MIT OR Apache-2.0
// The calls that set and read priorities.
#include "core/call.h"
#include "core/error.h"
#include "core/locks.h"
#include "core/priority.h"
#include "core/profile.h"
#include "core/threads.h"
#include "core/waits.h"

static bool thread_refused(void)
{
    kernel_leave();
    return thread_error(ERROR_INVALID_HANDLE);
}

BOOL CeSetThreadPriority(HANDLE handle, int priority)
{
    if (priority < 0 || priority >= PRIORITY_LEVELS)
        return thread_error(ERROR_INVALID_PARAMETER);
    kernel_enter();
    struct thread *thread = thread_find(handle);
    if (thread == NULL)
        return thread_refused();
    thread->base_priority = profile_priority((uint32_t)priority);
    uint32_t due = thread_due_priority(thread);
    if (due != thread->link.priority) {
        thread->gains_pass = true;
        thread_move(thread, due);
        if (UNLIKELY((thread->state & (STATE_LOCK | STATE_MULTIPLE)) == STATE_LOCK))
            waits_lend_later(thread);
        while (UNLIKELY(waits_unsettled != NULL)) { // until all waits have the new priority
            waits_settle();
            kernel_pass();
        }
        thread->gains_pass = false; // lock owners need not inherit the priorities that this thread inherits later
    }
    ready_switch();
    kernel_leave();
    return TRUE;
}

SELDOM int CeGetThreadPriority(HANDLE handle)
{
    kernel_enter();
    struct thread *thread = thread_find(handle);
    int priority = thread == NULL ? THREAD_PRIORITY_ERROR_RETURN : (int)thread->base_priority;
    kernel_leave();
    if (thread == NULL)
        thread_error(ERROR_INVALID_HANDLE);
    return priority;
}

SELDOM BOOL SetThreadPriority(HANDLE handle, int old_level)
{
    if (old_level < THREAD_PRIORITY_TIME_CRITICAL || old_level > THREAD_PRIORITY_IDLE)
        return thread_error(ERROR_INVALID_PARAMETER);
    return CeSetThreadPriority(handle, (int)profile_old_level((uint32_t)old_level));
}

SELDOM int GetThreadPriority(HANDLE handle)
{
    int first = (int)profile_old_level(0), priority = CeGetThreadPriority(handle);
    if (priority == THREAD_PRIORITY_ERROR_RETURN)
        return priority;
    return priority < first ? THREAD_PRIORITY_TIME_CRITICAL : priority - first;
}
