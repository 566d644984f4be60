// SPDX-License-Identifier: MIT OR Apache-2.0
// See block.h.
#include "core/block.h"

#include "core/ready.h"
#include "core/timeouts.h"
#include "core/waits.h"

// Ends a thread's wait or sleep with this result. A suspended thread stays suspended. A thread that is still queueing
// itself for its wait is already ready.
void thread_unblock(struct thread *thread, uint32_t wait_result)
{
    uint32_t state = thread->state;
    thread->wait_result = wait_result;
    if (state & STATE_SLEEPING)
        timeout_cancel(thread);
    thread->state = state & (STATE_SUSPENDED | STATE_MULTIPLE);
    if (state & STATE_MULTIPLE || (state & STATE_LOCK && thread->wait.waiters != NULL)) // the thread still waits
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
