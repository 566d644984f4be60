// SPDX-License-Identifier: MIT OR Apache-2.0
// The short paths that every kernel call consists of, inline. (Those of the ready queue are in ready.h.)
#ifndef DETENT_FAST_H
#define DETENT_FAST_H

#include "core/event.h"
#include "core/gate.h"
#include "core/likely.h"
#include "core/mutex.h"
#include "core/panic.h"
#include "core/profile.h"
#include "core/ready.h"
#include "core/semaphore.h"
#include "core/thread.h"
#include "core/waiters.h"
#include "limits.h"
#include "port.h"

static inline void kernel_enter(void)
{
    gate_close();
}

static inline void kernel_leave(void)
{
    if (UNLIKELY(gate_open_found_pending()))
        kernel_catch_up();
}

// Between two steps of a long call: an interrupt that waits for the gate comes first. What the caller knew of the
// kernel's data before, other threads may have changed.
static inline bool kernel_passes(void) // true when one came
{
    bool passes = profile.split_calls && UNLIKELY(gate_has_pending());
    if (passes)
        kernel_pass_pending();
    return passes;
}

static inline void kernel_pass(void)
{
    kernel_passes();
}

// For calls that may have answered a wait for several objects.
static inline void kernel_switch(void)
{
    if (UNLIKELY(waits_unsettled != NULL))
        waits_settle();
    ready_switch();
}

// Answers a sole waiter that waits plainly: for this alone, without timeout, not suspended, for no lock.
// Its result is WAIT_OBJECT_0 already. False, with nothing done, in all other cases.
static inline bool waiters_answer_plain(struct waiters *waiters)
{
    struct wait *wait = waiters->sole;
    if (UNLIKELY(wait <= WAITERS_QUEUED))
        return false;
    struct thread *thread = wait->thread;
    if (UNLIKELY(thread->state != STATE_BLOCKED))
        return false;
    waiters->sole = NULL;
    thread->state = 0;
    ready_add(thread);
    return true;
}

// Auto reset only.
static inline void event_signal(struct event *event)
{
    if (UNLIKELY(!waiters_answer_plain(&event->object.waiters)))
        event_signal_rare(event);
}

// Takes what is waited for if it is there; false, with nothing done, when it is not.
static inline bool event_poll(struct event *event)
{
    if (!event->state.signalled)
        return false;
    event->state = event->satisfied;
    return true;
}

static inline bool semaphore_poll(struct semaphore *semaphore)
{
    if (semaphore->count == 0)
        return false;
    semaphore->count--;
    return true;
}

// Free or owned already; *result is changed when the last owner has ended without releasing.
static inline bool mutex_poll(struct mutex *mutex, DWORD *result)
{
    struct thread *thread = kernel.current;
    if (UNLIKELY(mutex->lock.owner != NULL)) {
        if (mutex->lock.owner != thread)
            return false;
        mutex->recursion++;
        return true;
    }
    mutex->lock.owner = thread;
    thread->mutexes_owned++;
    if (UNLIKELY(mutex->abandoned)) {
        *result = WAIT_ABANDONED_0;
        mutex->abandoned = false;
    }
    return true;
}

static inline DWORD wait_come_back(const struct thread *thread)
{
    ready_switch();
    DWORD result = thread->wait_result;
    kernel_leave();
    return result;
}

// The running thread leaves the ready ones and comes back with the answer of its wait, the gate open. What answers a
// plain wait leaves the result as it is set here.
static inline DWORD wait_away(struct thread *thread, uint32_t state)
{
    thread->wait_result = WAIT_OBJECT_0;
    thread->state = state;
    ready_remove(thread);
    return wait_come_back(thread);
}

#endif
