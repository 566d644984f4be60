// SPDX-License-Identifier: MIT OR Apache-2.0
// See clock.h; and the calls about time.
#include "core/clock.h"

#include "core/block.h"
#include "core/call.h"
#include "core/panic.h"
#include "core/ready.h"
#include "core/timeouts.h"

// Lets each woken thread run before the next timeout, so that no thread waits for the timeouts of lower threads.
SELDOM static DWORD clock_main(LPVOID unused)
{
    kernel_enter();
    while (unused == NULL) { // for ever
        do {                 // at most THREADS_MAX rounds
            ready_rotate(&clock_thread);
            ready_switch();
            kernel_pass();
        } while (timeout_answer_one());
        thread_block(STATE_BLOCKED);
    }
    return 0;
}

SELDOM void clock_thread_init(void)
{
    clock_thread = (struct thread){.state = STATE_BLOCKED, .start = clock_main, .object.handle = CLOCK_THREAD_HANDLE};
    if (!stack_make(CLOCK_THREAD_STACK))
        panic(__func__, "no memory for the clock thread");
    clock_thread.stack_pointer = stack_prepare(CLOCK_THREAD_STACK);
}

// If the clock has stopped for an idle period, this first counts the time that has passed.
DWORD GetTickCount(void)
{
    if (UNLIKELY(kernel.clock_stopped)) {
        kernel_enter();
        clock_resume();
        kernel_leave();
    }
    return (DWORD)kernel.now_ms;
}
