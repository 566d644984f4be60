// SPDX-License-Identifier: MIT OR Apache-2.0
// See turn.h.
#include "core/turn.h"

#include "core/profile.h"
#include "core/ready.h"

// Threads of the highest of the eight old levels and above run to completion.
static bool runs_to_completion(const struct thread *thread)
{
    return thread->quantum_ms == 0
           || (profile.time_critical_completes
               && thread->link.priority <= profile_old_level(THREAD_PRIORITY_TIME_CRITICAL));
}

void turn_end_if_used_up(void)
{
    struct thread *thread = kernel.current;
    if (thread->quantum_left_ms != 0 || runs_to_completion(thread))
        return;
    if (!profile.new_thread_quantum_defect)
        thread->quantum_left_ms = thread->quantum_ms;
    ready_rotate(thread);
}

// The defect of CE .NET before QFE 020607 (KB 323461). The kernel uses a counter that is 0 in a new thread. As we
// understand the article, the counter stays 0 until the thread's quantum is set. Until then, any interrupt may let a
// thread of the same priority preempt it.
SELDOM void turn_end_by_interrupt(void)
{
    struct thread *thread = kernel.current;
    if (thread->counts_nothing && thread->quantum_ms != 0)
        ready_rotate(thread);
}
