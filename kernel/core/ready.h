// SPDX-License-Identifier: MIT OR Apache-2.0
// Who runs next. Everything that writes kernel.next, kernel.floating or the ready queue is here and in ready.c, all of
// it with the gate closed:
//
//     ready_add      a thread has become ready
//     ready_remove   a thread has become not ready
//     ready_inherit  the running thread has become not ready, and another gets its priority
//     ready_move     a ready thread gets another priority
//     ready_rotate   a ready thread goes behind its equals
//     ready_yield    the running thread does so and the next one runs
//     ready_switch   kernel.next runs
//
// What must hold whenever the gate is opened: kernel.next is the highest ready thread, the first of its priority;
// kernel.current == kernel.next; every ready thread stands in the queue exactly once, but for the floating one.
//
// The floating thread is the usual case made cheap. A thread that is woken above all others runs, waits again and is
// gone: it need not enter the queue for that. While it floats it is kernel.next, its link points to itself, and it
// stands in no queue. It enters when anything but waiting happens to it:
//
//     A runs and stands in the queue     queue A      next A, floating -
//     SetEvent wakes B, higher than A    queue A      next B, floating B
//     B waits again                      queue A      next A, floating -      no queue was touched
//     or: C, higher than B, is woken     queue B A    next C, floating C      B entered the queue, first of its equals
#ifndef DETENT_READY_H
#define DETENT_READY_H

#include "core/likely.h"
#include "core/queue.h"
#include "core/thread.h"
#include "port.h"

struct kernel {
    struct thread *current;
    struct thread *next;
    struct thread *floating;     // NULL, or the same as next
    volatile uint64_t now_ms;    // GetTickCount is its low half
    volatile bool clock_stopped; // since an idle stretch began; now_ms is behind
    uint64_t resched_ms;         // the timer ISR asks for a reschedule from this time on
    struct queue ready;          // the running thread stands in it too, unless floating
};

extern struct kernel kernel;

void kernel_init(void); // before the first thread; the caller becomes the idle thread
void ready_init(void);
void ready_move(struct thread *thread, uint32_t priority);
void ready_rotate(struct thread *thread);

// The floating thread, if any, enters the queue.
static inline void ready_settle(void)
{
    if (kernel.floating == NULL)
        return;
    queue_prepend(&kernel.ready, &kernel.floating->link);
    kernel.floating = NULL;
}

// What the thread displaces had come before it, so it goes first among its equals.
static inline void ready_add(struct thread *thread)
{
    struct thread *next = kernel.next;
    if (LIKELY(higher_priority(thread->link.priority, next->link.priority))) {
        if (UNLIKELY(kernel.floating != NULL))
            queue_prepend(&kernel.ready, &next->link);
        thread->link.next = &thread->link;
        kernel.next = kernel.floating = thread;
    } else {
        queue_append(&kernel.ready, &thread->link);
    }
}

static inline void ready_remove(struct thread *thread)
{
    if (LIKELY(kernel.floating == thread))
        kernel.floating = NULL;
    else
        queue_remove(&kernel.ready, &thread->link);
    if (LIKELY(kernel.floating == NULL))
        kernel.next = (struct thread *)queue_top(&kernel.ready);
}

// The running thread blocks, and `heir`, which was ready in the queue at a lower priority, rises to its priority.
static inline void ready_inherit(struct thread *thread, struct thread *heir)
{
    uint32_t priority = thread->link.priority;
    queue_remove(&kernel.ready, &heir->link);
    heir->link.priority = priority;
    if (kernel.floating != thread)
        queue_remove(&kernel.ready, &thread->link);
    if (LIKELY(kernel.ready.heads[priority] == NULL)) {
        heir->link.next = &heir->link;
        kernel.next = kernel.floating = heir;
    } else {
        kernel.floating = NULL;
        queue_append(&kernel.ready, &heir->link);
        kernel.next = (struct thread *)queue_top(&kernel.ready);
    }
}

static inline void ready_switch(void)
{
    struct thread *from = kernel.current, *to = kernel.next;
    if (from != to) {
        kernel.current = to;
        switch_to(from, to);
    }
}

// A thread whose link points to itself is alone at its priority, or floats.
static inline void ready_yield(void)
{
    struct thread *from = kernel.current;
    struct link *next = from->link.next;
    if (LIKELY(next != &from->link)) {
        struct thread *to = (struct thread *)next;
        kernel.ready.heads[from->link.priority] = next;
        kernel.current = kernel.next = to;
        switch_to(from, to);
    } else if (kernel.floating != NULL) {
        ready_rotate(from);
        ready_switch();
    }
}

#endif
