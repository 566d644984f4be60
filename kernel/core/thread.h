// SPDX-License-Identifier: MIT OR Apache-2.0
// The type of a thread.
#ifndef DETENT_THREAD_H
#define DETENT_THREAD_H

#include "core/object.h"
#include "core/queue.h"
#include "core/timeout.h"
#include "core/waiters.h"

// A thread without any bit of STATE_NOT_READY is ready: it is in the ready queue, or floats (ready.h).
enum thread_state { // bits
    STATE_BLOCKED = 1,
    STATE_SLEEPING = 2, // a timeout runs
    STATE_SUSPENDED = 4,
    STATE_ENDED = 8,
    STATE_ENTERING = 16, // ready, and taking its places in a wait for several objects
    STATE_MULTIPLE = 32, // that kind of wait
    STATE_LOCK = 64,     // an owner inherits from this wait
};
#define STATE_NOT_READY (STATE_BLOCKED | STATE_SLEEPING | STATE_SUSPENDED | STATE_ENDED)
#define STATE_WAIT_OPEN (STATE_BLOCKED | STATE_ENTERING) // nothing has answered yet

struct thread {
    struct link link;    // in the ready queue; its priority is the thread's current one, inherited or not
    void *stack_pointer; // the port's, while it does not run
    uint32_t state;
    uint32_t wait_result;
    uint32_t quantum_ms; // 0 runs to completion
    uint32_t quantum_left_ms;
    struct wait wait;   // of a wait for one object
    struct wait *waits; // of a wait for several: WAIT_OBJECTS_MAX places, wait_count taken
    uint32_t wait_count;
    uint8_t suspend_count;
    bool ended;          // signalled
    bool counts_nothing; // profile.new_thread_quantum_defect, until its quantum is set
    bool unsettled;      // in the list of waits_unsettled, with places from `settled` on to be looked at
    bool gains_pass;     // then: owners gain too what it has gained
    bool lends;          // then: its one place has moved, and what it lends has not followed
    bool follows;        // then: what it inherits has changed, and its priority has not followed
    uint32_t settled;
    struct thread *next_unsettled;
    struct object *broadcasting; // paused within a broadcast of it
    struct thread *above;        // on the stack of those who float; of nobody's that is its top (ready.h)
    uint32_t mutexes_owned;
    struct timeout timeout;
    uint32_t base_priority;  // as set
    struct queue *donations; // of struct lock: what is inherited through each lock owned
    uint32_t last_error;
    uint32_t exit_code;
    struct object object;
    LPTHREAD_START_ROUTINE start;
    LPVOID argument;
};

extern struct thread threads[THREADS_MAX]; // objects.c
extern struct thread idle_thread;          // ready.c
extern struct thread clock_thread;         // the kernel's own (timeouts.c, clock.c); no handle finds it
#define CLOCK_THREAD_HANDLE ((uintptr_t)KIND_THREAD)
#define CLOCK_THREAD_STACK THREADS_MAX

static inline struct thread *object_thread(struct object *object)
{
    return (struct thread *)((char *)object - offsetof(struct thread, object));
}

#endif
