// SPDX-License-Identifier: MIT OR Apache-2.0
// Chooses the running thread. All code that writes kernel.next, kernel.floating or the ready queue is here and in ready.c. It
// runs with the gate closed:
//
//     ready_add      a thread has become ready
//     ready_remove   a thread has become not ready
//     ready_inherit  the running thread has become not ready, and another gets its priority
//     ready_move     a ready thread gets another priority
//     ready_rotate   a ready thread goes behind its equals
//     ready_yield    the running thread goes behind its equals, and the next one runs
//     ready_switch   kernel.next runs
//
// What must hold whenever the gate is opened: kernel.next is the highest ready thread, the first of its priority;
// kernel.current == kernel.next; every ready thread is in the queue exactly once, or floats.
//
// Floating makes the usual case cheap. A thread that is woken above all others, runs and waits again need not enter the queue.
// Instead it is on a stack, ordered by priority, and its link points to itself. When it waits, it leaves the stack; when it is
// preempted, it stays there; anything else moves it to the queue. Among threads of the same priority, floating ones come before
// those in the queue, because a floating thread was preempted before the others became ready.
//
//     A runs and is in the queue     queue A      next A, floating -
//     SetEvent wakes B, higher than A    queue A      next B, floating B
//     or: C, higher than B, is woken     queue A      next C, floating C B
//     C waits                            queue A      next B, floating B      no queue was touched
//     B waits                            queue A      next A, floating -
#ifndef DETENT_READY_H
#define DETENT_READY_H

#include "core/likely.h"
#include "core/queue.h"
#include "core/thread.h"
#include "port.h"

struct kernel {
    struct thread *current;
    struct thread *next;
    struct thread *floating;                  // the highest floating thread; the idle thread if none floats
    volatile uint64_t now_ms;                 // GetTickCount is its low half
    volatile bool clock_stopped;              // idling has begun, and now_ms is out of date
    uint64_t resched_ms;                      // the timer ISR asks for a reschedule from this time on
    struct link **top;                        // the highest list of `ready` that is not empty
    struct queue ready;                       // all ready threads that do not float, the running thread included
    struct thread *floaters[PRIORITY_LEVELS]; // by priority: the thread that began to float last; it may not float now
};

extern struct kernel kernel;

void ready_init(void);
void ready_append(struct thread *thread);   // adds the thread after the others of its priority
void ready_take_out(struct thread *thread); // removes the thread from anywhere except the top of the stack
void ready_move(struct thread *thread, uint32_t priority);
void ready_rotate(struct thread *thread);

// Puts a thread that is higher than all others onto the stack. This thread runs next.
static inline void ready_float(struct thread *thread)
{
    struct thread *below = kernel.floating;
    thread->link.next = &thread->link;
    thread->link.prev = &below->link;
    below->above = thread;
    kernel.floaters[thread->link.priority] = thread;
    kernel.next = kernel.floating = thread;
}

static inline void ready_choose(void)
{
    struct thread *floating = kernel.floating, *queued = (struct thread *)*kernel.top;
    kernel.next = higher_priority(queued->link.priority, floating->link.priority) ? queued : floating;
}

static inline void ready_add(struct thread *thread)
{
    if (LIKELY(higher_priority(thread->link.priority, kernel.next->link.priority)))
        ready_float(thread);
    else
        ready_append(thread);
}

static inline void ready_leave(struct thread *thread)
{
    if (LIKELY(kernel.floating == thread))
        kernel.floating = (struct thread *)thread->link.prev;
    else
        ready_take_out(thread);
}

static inline void ready_remove(struct thread *thread)
{
    ready_leave(thread);
    ready_choose();
}

// The running thread blocks. `heir`, which was ready at a lower priority, rises to the running thread's priority.
static inline void ready_inherit(struct thread *thread, struct thread *heir)
{
    uint32_t priority = thread->link.priority;
    ready_leave(thread);
    ready_leave(heir);
    heir->link.priority = priority;
    if (LIKELY(kernel.ready.heads[priority] == NULL)) {
        ready_float(heir);
    } else {
        ready_append(heir);
        ready_choose();
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
    } else if (kernel.floating == from) {
        ready_rotate(from);
        ready_switch();
    }
}

#endif
