// SPDX-License-Identifier: MIT OR Apache-2.0
// The end of a thread, whether it ends itself or another thread ends it. What it owns goes to the waiting threads, and the
// threads that wait for its end are woken.
#ifndef DETENT_ENDING_H
#define DETENT_ENDING_H

#include "core/broadcast.h"
#include "core/call.h"
#include "core/critsec.h"
#include "core/mutexes.h"
#include "core/objects.h"
#include "core/timeouts.h"
#include "core/waits.h"

// An owner that has ended inherits no priority. It takes no further lock, because it runs this code or is not ready.
static inline void thread_abandon_all(struct thread *thread)
{
    if (thread->mutexes_owned != 0)
        mutex_abandon_all(thread);
    while (!queue_is_empty(thread->donations)) { // at most CRITICAL_SECTIONS_MAX rounds
        critsec_abandon((struct lock *)queue_top(thread->donations));
        kernel_pass();
    }
}

// Removes the thread from the ready queue, timeouts and waits, and puts it into state `then`. Gate closed; handles pending
// interrupts between steps.
static inline void thread_withdraw(struct thread *thread, uint32_t then)
{
    uint32_t state = thread->state;
    if (state & STATE_WAIT_OPEN && !(state & STATE_MULTIPLE))
        wait_end(&thread->wait);
    if (state & STATE_SLEEPING)
        timeout_cancel(thread);
    if (!(state & STATE_NOT_READY))
        ready_remove(thread);
    thread->state = then;
    for (uint32_t i = 0; i < thread->wait_count; i++) {
        wait_end(&thread->waits[i]);
        waits_settle();
        kernel_pass();
    }
    thread->wait_count = 0;
}

// Releases what the thread owns, and marks it as ended. The thread is the caller, or not ready. Gate closed; handles pending
// interrupts between steps.
static inline void thread_finish(struct thread *thread, DWORD exit_code)
{
    thread_abandon_all(thread);
    thread->exit_code = exit_code;
    thread->ended = true; // from here on, no thread waits for the end of this one
    if (!waiters_none(&thread->object.waiters) && !waiters_answer_plain(&thread->object.waiters))
        broadcast(&thread->object, BROADCAST_ALL);
    thread->object.alive = false;
    object_free_if_unused(&thread->object);
    if (UNLIKELY(waits_unsettled != NULL))
        waits_settle();
}

#endif
