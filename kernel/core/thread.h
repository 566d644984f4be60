// SPDX-License-Identifier: MIT OR Apache-2.0
// The type of a thread.
#ifndef DETENT_THREAD_H
#define DETENT_THREAD_H

#include "core/object.h"
#include "core/queue.h"
#include "core/timeout.h"
#include "core/waiters.h"

// A thread without any bit of STATE_NOT_READY is ready: it is in the ready queue, or floats (ready.h).
enum thread_state { // bits of `state`
    STATE_BLOCKED = 1,
    STATE_SLEEPING = 2, // a timeout is running
    STATE_SUSPENDED = 4,
    STATE_ENDED = 8,
    STATE_ENTERING = 16, // ready, and taking its places in a wait for several objects
    STATE_MULTIPLE = 32, // the wait is for several objects
    STATE_LOCK = 64,     // a lock's owner inherits from this wait
};
#define STATE_NOT_READY (STATE_BLOCKED | STATE_SLEEPING | STATE_SUSPENDED | STATE_ENDED)
#define STATE_WAIT_OPEN (STATE_BLOCKED | STATE_ENTERING) // the wait has not been answered yet

struct thread {
    struct link link;    // in the ready queue; its priority is the thread's current one, inherited or not
    void *stack_pointer; // saved by the port while the thread does not run
    uint32_t state;
    uint32_t wait_result;
    uint32_t quantum_ms; // 0: runs to completion
    uint32_t quantum_left_ms;
    struct wait wait;   // the place in a wait for one object
    struct wait *waits; // for a wait for several objects: WAIT_OBJECTS_MAX entries, of which wait_count are used
    uint32_t wait_count;
    uint8_t suspend_count;
    bool ended;          // the thread is signalled
    bool counts_nothing; // imitates profile.new_thread_quantum_defect, until the quantum is set
    bool unsettled;      // in the list waits_unsettled; its waits from `settled` on must be updated
    bool gains_pass;     // when settling: lock owners also inherit the priority that this thread has gained
    bool lends;          // when settling: its only wait has moved, and the lent priority is not updated yet
    bool follows;        // when settling: its inherited priority has changed, and its own is not updated yet
    uint32_t settled;
    struct thread *next_unsettled;
    struct object *broadcasting; // the object whose broadcast has paused in this thread
    struct thread *above;        // the next thread on the stack of floating threads; invalid if it is the top (ready.h)
    uint32_t mutexes_owned;
    struct timeout timeout;
    uint32_t base_priority;  // the priority as set
    struct queue *donations; // queue of struct lock: the priority inherited through each owned lock
    uint32_t last_error;
    uint32_t exit_code;
    struct object object;
    LPTHREAD_START_ROUTINE start;
    LPVOID argument;
};

extern struct thread threads[THREADS_MAX]; // defined in objects.c
extern struct thread idle_thread;          // defined in ready.c
extern struct thread clock_thread;         // the kernel's own thread (timeouts.c, clock.c); it has no handle
#define CLOCK_THREAD_HANDLE ((uintptr_t)KIND_THREAD)
#define CLOCK_THREAD_STACK THREADS_MAX

static inline struct thread *object_thread(struct object *object)
{
    return (struct thread *)((char *)object - offsetof(struct thread, object));
}

#endif
