// SPDX-License-Identifier: MIT OR Apache-2.0
// See priority.h.
#include "core/priority.h"

#include "core/ready.h"
#include "core/timeouts.h"
#include "core/trail.h"
#include "core/waits.h"

void thread_move(struct thread *thread, uint32_t priority)
{
    if (trail_on)
        trail_note(TRAIL_PRIORITY, priority);
    if (!(thread->state & STATE_NOT_READY))
        ready_move(thread, priority);
    else
        thread->link.priority = priority;
    if (thread->state & STATE_SLEEPING)
        timeout_raise(thread);
    if (thread->state & STATE_WAIT_OPEN)
        waits_follow(thread);
}
