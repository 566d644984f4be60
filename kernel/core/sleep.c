// SPDX-License-Identifier: MIT OR Apache-2.0
// The calls to sleep, to yield, and to set a quantum.
#include "core/block.h"
#include "core/call.h"
#include "core/error.h"
#include "core/ready.h"
#include "core/threads.h"
#include "core/timeouts.h"

static void thread_sleep(DWORD time_ms)
{
    kernel_enter();
    timeout_arm(kernel.current, time_ms);
    thread_block(STATE_SLEEPING);
    kernel_leave();
}

static __attribute__((noinline)) void sleep_or_suspend(DWORD time_ms)
{
    if (time_ms == INFINITE)
        SuspendThread(GetCurrentThread());
    else
        thread_sleep(time_ms);
}

// Sleep(0) ends the turn: equal threads run first, and the next turn has a full quantum.
void Sleep(DWORD time_ms)
{
    if (UNLIKELY(time_ms != 0)) {
        sleep_or_suspend(time_ms);
        return;
    }
    kernel_enter();
    kernel.current->quantum_left_ms = kernel.current->quantum_ms;
    ready_yield();
    kernel_leave();
}

void SleepTillTick(void)
{
    thread_sleep(0);
}

// The new quantum takes effect when the thread is scheduled next. A running thread keeps the rest of its turn, or a
// whole turn if it ran to completion so far.
SELDOM BOOL CeSetThreadQuantum(HANDLE handle, DWORD quantum_ms)
{
    if (quantum_ms > INT32_MAX)
        return thread_error(ERROR_INVALID_PARAMETER);
    kernel_enter();
    struct thread *thread = thread_find(handle);
    if (thread != NULL) {
        if (thread != kernel.current || thread->quantum_ms == 0)
            thread->quantum_left_ms = quantum_ms;
        thread->quantum_ms = quantum_ms;
        thread->counts_nothing = false;
    }
    kernel_leave();
    return thread != NULL || thread_error(ERROR_INVALID_HANDLE);
}

SELDOM DWORD CeGetThreadQuantum(HANDLE handle)
{
    kernel_enter();
    struct thread *thread = thread_find(handle);
    DWORD quantum_ms = thread == NULL ? MAXDWORD : thread->quantum_ms;
    kernel_leave();
    if (thread == NULL)
        thread_error(ERROR_INVALID_HANDLE);
    return quantum_ms;
}
