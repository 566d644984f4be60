// SPDX-License-Identifier: MIT OR Apache-2.0
// See ready.h: what the usual wake-up and wait do not need.
#include "core/ready.h"

struct kernel kernel;

// The idle thread is the whole of the lowest level, for ever: the top of the queue is always a thread.
void ready_init(void)
{
    queue_reset(&kernel.ready);
    idle_thread.link.priority = PRIORITY_IDLE_THREAD;
    idle_thread.link.next = idle_thread.link.prev = &idle_thread.link;
    kernel.ready.heads[PRIORITY_IDLE_THREAD] = &idle_thread.link;
    kernel.current = kernel.next = &idle_thread;
    kernel.floating = NULL;
}

// A raised thread goes behind its new equals; one that falls back has not used up its turn and goes first.
void ready_move(struct thread *thread, uint32_t priority)
{
    bool raised = higher_priority(priority, thread->link.priority);
    if (kernel.floating == thread) {
        kernel.floating = NULL;
    } else {
        ready_settle();
        queue_remove(&kernel.ready, &thread->link);
    }
    thread->link.priority = priority;
    if (raised)
        queue_append(&kernel.ready, &thread->link);
    else
        queue_prepend(&kernel.ready, &thread->link);
    kernel.next = (struct thread *)queue_top(&kernel.ready);
}

void ready_rotate(struct thread *thread)
{
    ready_settle();
    queue_remove(&kernel.ready, &thread->link);
    queue_append(&kernel.ready, &thread->link);
    kernel.next = (struct thread *)queue_top(&kernel.ready);
}
