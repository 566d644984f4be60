// SPDX-License-Identifier: MIT OR Apache-2.0
// See ready.h: the functions that the usual wakeup and wait do not need.
#include "core/ready.h"

struct kernel kernel;
struct thread idle_thread;

// The idle thread alone forms the lowest level, so that the queue always has a top.
void ready_init(void)
{
    queue_reset(&kernel.ready);
    idle_thread.link.priority = PRIORITY_IDLE_THREAD;
    idle_thread.link.next = idle_thread.link.prev = &idle_thread.link;
    kernel.ready.heads[PRIORITY_IDLE_THREAD] = &idle_thread.link;
    kernel.current = kernel.next = &idle_thread;
    kernel.floating = &idle_thread;
    kernel.top = &kernel.ready.heads[PRIORITY_IDLE_THREAD];
}

static void ready_enter(struct thread *thread, void (*enter)(struct queue *queue, struct link *link))
{
    struct link **list = &kernel.ready.heads[thread->link.priority];
    enter(&kernel.ready, &thread->link);
    if (list < kernel.top)
        kernel.top = list;
}

void ready_append(struct thread *thread)
{
    ready_enter(thread, queue_append);
}

// A link that points to itself is alone in its list, or its thread floats.
static bool ready_floats(const struct thread *thread)
{
    return thread->link.next == &thread->link && kernel.ready.heads[thread->link.priority] != &thread->link;
}

void ready_take_out(struct thread *thread)
{
    if (ready_floats(thread)) {
        struct thread *above = thread->above, *below = (struct thread *)thread->link.prev;
        above->link.prev = &below->link;
        below->above = above;
        return;
    }
    queue_remove(&kernel.ready, &thread->link);
    if (*kernel.top == NULL)
        kernel.top = &kernel.ready.heads[queue_top_priority(&kernel.ready)];
}

// Inserts the thread before the others of its priority. If another thread of its priority floats, that thread enters
// the queue after this one.
static void ready_prepend(struct thread *thread)
{
    struct thread *equal = kernel.floaters[thread->link.priority];
    if (equal != NULL && equal != thread && equal->link.priority == thread->link.priority
        && !(equal->state & STATE_NOT_READY) && ready_floats(equal)) {
        ready_leave(equal);
        ready_enter(equal, queue_prepend);
    }
    ready_enter(thread, queue_prepend);
}

// A raised thread goes after the threads of its new priority. A thread whose priority falls back has not used up its
// turn, so it goes before them. The top of the stack stays there if it is still higher than the floating threads below
// it.
void ready_move(struct thread *thread, uint32_t priority)
{
    bool raised = higher_priority(priority, thread->link.priority);
    if (!raised && kernel.floating == thread
        && higher_priority(priority, ((struct thread *)thread->link.prev)->link.priority)) {
        thread->link.priority = priority;
        kernel.floaters[priority] = thread;
    } else {
        ready_leave(thread);
        thread->link.priority = priority;
        raised ? ready_append(thread) : ready_prepend(thread);
    }
    ready_choose();
}

void ready_rotate(struct thread *thread)
{
    ready_leave(thread);
    ready_append(thread);
    ready_choose();
}
