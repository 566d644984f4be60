// SPDX-License-Identifier: MIT OR Apache-2.0
// Events: auto-reset ones release one waiter and fall back, manual-reset ones release all and stay.
#include "core/event.h"

#include "core/fast.h"
#include "core/lock.h"

_Alignas(64) struct event events[EVENTS_MAX];

_Static_assert(sizeof(struct event) == 64, "an event's offset is its handle masked");

static struct waiters releasing[EVENTS_MAX];
static struct queue releasing_queues[EVENTS_MAX];

void event_init(void)
{
    for (unsigned i = 0; i < EVENTS_MAX; i++) {
        waiters_init(&releasing[i], &releasing_queues[i]);
        events[i].releasing = &releasing[i];
    }
}

HANDLE CreateEvent(LPVOID attributes, BOOL manual_reset, BOOL initial_state, LPCTSTR name)
{
    if (attributes != NULL) {
        thread_error(ERROR_INVALID_PARAMETER);
        return NULL;
    }
    DWORD refused;
    object_lock();
    struct event *event = (struct event *)object_open_named(KIND_EVENT, name, &refused);
    if (event == NULL && refused == ERROR_SUCCESS && (event = (struct event *)object_take(KIND_EVENT)) != NULL) {
        event->manual_reset = manual_reset != FALSE;
        event->signalled = initial_state != FALSE;
        event->waited = 0;
        event->data = 0;
        event->irq = NULL;
        object_set_name(&event->object, name);
    }
    object_unlock();
    if (refused != ERROR_SUCCESS)
        thread_error(refused);
    return event != NULL ? (HANDLE)event->object.handle : NULL;
}

void event_signal_rare(struct event *event)
{
    if (!waiters_release_one(event->object.waiters))
        event->signalled = 1;
}

static void release_all(struct event *event)
{
    struct lock lent;
    if (waiters_none(event->releasing))
        return;
    lock_lend(&lent, event->releasing);
    while (waiters_release_one(event->releasing)) // at most THREADS_MAX
        kernel_pass();
    lock_pass(&lent, NULL);
}

// Manual reset. Those who wait now are set apart at once and then released one by one: a thread that comes
// in between and waits again, after a reset, is not among them. What an interrupted call left comes first.
static void event_release_all(struct event *event)
{
    release_all(event);
    struct waiters *waiting = event->object.waiters;
    event->object.waiters = event->releasing;
    event->releasing = waiting;
    release_all(event);
}

static __attribute__((noinline)) BOOL event_wake(struct event *event)
{
    if (event->manual_reset) {
        event->signalled = 1;
        event_release_all(event);
    } else {
        event_signal(event);
    }
    ready_switch();
    kernel_leave();
    return TRUE;
}

BOOL SetEvent(HANDLE handle)
{
    struct event *event = event_find(handle);
    if (UNLIKELY(event == NULL))
        return thread_error(ERROR_INVALID_HANDLE);
    kernel_enter();
    if (!waiters_none(event->object.waiters))
        return event_wake(event);
    event->signalled = 1;
    kernel_leave();
    return TRUE;
}

BOOL ResetEvent(HANDLE handle)
{
    struct event *event = event_find(handle);
    if (event == NULL)
        return thread_error(ERROR_INVALID_HANDLE);
    event->signalled = 0;
    return TRUE;
}

// What waits now is released as by SetEvent; nothing is kept.
BOOL PulseEvent(HANDLE handle)
{
    struct event *event = event_find(handle);
    if (event == NULL)
        return thread_error(ERROR_INVALID_HANDLE);
    kernel_enter();
    if (event->manual_reset)
        event_release_all(event);
    else
        waiters_release_one(event->object.waiters);
    event->signalled = 0;
    ready_switch();
    kernel_leave();
    return TRUE;
}

BOOL SetEventData(HANDLE handle, DWORD data)
{
    struct event *event = event_find(handle);
    if (event == NULL)
        return thread_error(ERROR_INVALID_HANDLE);
    event->data = data;
    return TRUE;
}

DWORD GetEventData(HANDLE handle)
{
    struct event *event = event_find(handle);
    return event != NULL ? event->data : (DWORD)thread_error(ERROR_INVALID_HANDLE);
}
