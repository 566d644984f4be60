// SPDX-License-Identifier: MIT OR Apache-2.0
// ExitThread: a thread ends itself.
#include "core/ending.h"

#include "core/block.h"
#include "core/panic.h"
#include "core/trail.h"

void ExitThread(DWORD exit_code)
{
    struct thread *thread = kernel.current;
    if (trail_on)
        trail_note(TRAIL_ENDED, (uint32_t)thread->object.handle);
    kernel_enter();
    thread_finish(thread, exit_code);
    thread_block(STATE_ENDED);
    panic(__func__, "an ended thread ran");
}
