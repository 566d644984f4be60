// SPDX-License-Identifier: MIT OR Apache-2.0
// See broadcast.h.
#include "core/broadcast.h"

#include "core/delivery.h"
#include "core/locks.h"
#include "core/objects.h"
#include "core/priority.h"
#include "core/profile.h"
#include "core/semaphore.h"
#include "core/waits.h"

static void broadcast_step(struct object *object)
{
    struct waiters *waiters = &object->waiters;
    if (waiters_release_one(waiters)) {
        if (UNLIKELY(waits_unsettled != NULL))
            waits_settle(); // the order of the waiters may depend on priorities that are not updated yet
        if (waiters->owed != BROADCAST_ALL)
            waiters->owed--;
        return;
    }
    if (HANDLE_KIND(object->handle) == KIND_SEMAPHORE)
        ((struct semaphore *)object)->count += (int32_t)waiters->owed;
    waiters->owed = 0;
}

SELDOM static __attribute__((noinline)) void broadcast_pause(struct object *object)
{
    struct thread *thread = kernel.current;
    irq_signal(pending_take());
    if (kernel.next == thread)
        return;
    uint32_t owed_priority = waiters_top_priority(&object->waiters);
    thread->broadcasting = object;
    if (higher_priority(owed_priority, thread->link.priority))
        ready_move(thread, owed_priority);
    ready_switch();
    thread->broadcasting = NULL;
    if (thread->link.priority != thread_due_priority(thread))
        thread_move(thread, thread_due_priority(thread));
}

void broadcast_finish(struct object *object)
{
    while (object->waiters.owed != 0) { // at most THREADS_MAX answers
        broadcast_step(object);
        if (profile.split_calls && UNLIKELY(gate_has_pending()))
            broadcast_pause(object);
    }
}

void broadcast(struct object *object, uint32_t limit)
{
    object->waiters.owed = limit;
    broadcast_finish(object);
}

struct object *object_at_rest(HANDLE handle)
{
    for (;;) { // one round for each broadcast that another thread begins meanwhile
        struct object *object = object_find(handle);
        if (object == NULL || object->waiters.owed == 0)
            return object;
        broadcast_finish(object);
    }
}
