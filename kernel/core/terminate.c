// SPDX-License-Identifier: MIT OR Apache-2.0
// TerminateThread: a thread ends another, in any state.
#include "core/ending.h"
#include "core/error.h"
#include "core/threads.h"
#include "core/trail.h"

// TerminateThread takes the lock on all objects, so that no thread is ended while in the middle of creating or closing
// an object or ending a thread: no other thread could complete such a change of the tables. A thread that has ended
// cannot be ended again.
BOOL TerminateThread(HANDLE handle, DWORD exit_code)
{
    if (handle == HANDLE_CURRENT_THREAD || handle == (HANDLE)kernel.current->object.handle)
        ExitThread(exit_code);
    object_lock();
    kernel_enter();
    struct thread *thread = thread_at_rest(handle);
    DWORD refused = thread == NULL                ? ERROR_INVALID_HANDLE
                    : thread->state & STATE_ENDED ? ERROR_ACCESS_DENIED
                                                  : ERROR_SUCCESS;
    if (refused == ERROR_SUCCESS) {
        if (trail_on)
            trail_note(TRAIL_ENDED, (uint32_t)thread->object.handle);
        thread_withdraw(thread, STATE_ENDED);
        thread->suspend_count = 0;
        thread_finish(thread, thread->ended ? thread->exit_code : exit_code); // the thread may already be in ExitThread
    }
    bool unlocked = object_unlock_unwanted(); // before the switch, so that the woken threads need not wait for it
    ready_switch();
    kernel_leave();
    if (!unlocked)
        object_unlock();
    return refused == ERROR_SUCCESS || thread_error(refused);
}
