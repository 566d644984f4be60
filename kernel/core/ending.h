// SPDX-License-Identifier: MIT OR Apache-2.0
// The end of a thread, by itself or by another: what it owns goes to those who wait for it, and so does its end.
#ifndef DETENT_ENDING_H
#define DETENT_ENDING_H

#include "core/broadcast.h"
#include "core/call.h"
#include "core/critsec.h"
#include "core/mutexes.h"
#include "core/objects.h"
#include "core/timeouts.h"
#include "core/waits.h"

// An owner that has ended lends nobody's priority. It takes nothing from here on, because it runs this code or is not ready.
static inline void thread_abandon_all(struct thread *thread)
{
    if (thread->mutexes_owned != 0)
        mutex_abandon_all(thread);
    while (!queue_is_empty(thread->donations)) { // at most CRITICAL_SECTIONS_MAX
        critsec_abandon((struct lock *)queue_top(thread->donations));
        kernel_pass();
    }
}

// Removes the thread from ready threads, sleep and waits, and puts it into state `then`. Gate closed; it lets interrupts pass.
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

// Gate closed; it lets interrupts pass. The thread releases what it owns, and for all others it has ended. It is the caller, or
// not ready.
static inline void thread_finish(struct thread *thread, DWORD exit_code)
{
    thread_abandon_all(thread);
    thread->exit_code = exit_code;
    thread->ended = true; // no thread waits for it from here on
    if (!waiters_none(&thread->object.waiters) && !waiters_answer_plain(&thread->object.waiters))
        broadcast(&thread->object, BROADCAST_ALL);
    thread->object.alive = false;
    object_free_if_unused(&thread->object);
    if (UNLIKELY(waits_unsettled != NULL))
        waits_settle();
}

#endif
