// SPDX-License-Identifier: MIT OR Apache-2.0
// Events: an auto-reset event releases one waiter and is reset; a manual-reset event releases all waiters and stays set.
#include "core/broadcast.h"
#include "core/call.h"
#include "core/error.h"
#include "core/objects.h"
#include "core/signal.h"

SELDOM HANDLE CreateEvent(LPVOID attributes, BOOL manual_reset, BOOL initial_state, LPCTSTR name)
{
    if (attributes != NULL) {
        thread_error(ERROR_INVALID_PARAMETER);
        return NULL;
    }
    DWORD refused;
    HANDLE handle = NULL;
    object_lock();
    struct event *event = (struct event *)object_open_named(KIND_EVENT, name, &refused);
    if (event != NULL) {
        handle = (HANDLE)event->object.handle;
    } else if (refused == ERROR_SUCCESS && (event = (struct event *)object_take(KIND_EVENT)) != NULL) {
        event->state = (struct event_state){.signalled = initial_state != FALSE};
        event->satisfied = (struct event_state){.signalled = manual_reset != FALSE, .waited = 1};
        event->data = 0;
        event->irq = NULL;
        object_set_name(&event->object, name);
        handle = object_publish(&event->object);
    }
    object_unlock();
    if (refused != ERROR_SUCCESS)
        thread_error(refused);
    return handle;
}

static BOOL event_done(bool found)
{
    kernel_leave();
    return found || thread_error(ERROR_INVALID_HANDLE);
}

// For an event that a thread waits for. The usual case, a single plain wait, is handled first.
static __attribute__((noinline)) BOOL event_wake(struct event *event)
{
    if (event_is_manual(event)) {
        event->state.signalled = 1;
        if (!waiters_answer_plain(&event->object.waiters))
            broadcast(&event->object, BROADCAST_ALL);
    } else {
        event_signal(event);
    }
    kernel_switch();
    kernel_leave();
    return TRUE;
}

BOOL SetEvent(HANDLE handle)
{
    kernel_enter();
    struct event *event = event_find(handle);
    if (UNLIKELY(event == NULL))
        return event_done(false);
    if (!waiters_none(&event->object.waiters))
        return event_wake(event);
    event->state.signalled = 1;
    kernel_leave();
    return TRUE;
}

BOOL ResetEvent(HANDLE handle)
{
    kernel_enter();
    struct event *event = event_find(handle);
    if (event != NULL)
        event->state.signalled = 0;
    return event_done(event != NULL);
}

// Releases the threads that wait now, as SetEvent does, and leaves the event reset. It resets the event before it releases any
// thread, so that a SetEvent by one of them counts as later than the pulse.
SELDOM BOOL PulseEvent(HANDLE handle)
{
    kernel_enter();
    struct event *event = event_find(handle);
    if (event == NULL)
        return event_done(false);
    event->state.signalled = 0;
    if (event_is_manual(event))
        broadcast(&event->object, BROADCAST_ALL);
    else
        waiters_release_one(&event->object.waiters);
    kernel_switch();
    return event_done(true);
}

SELDOM BOOL EventModify(HANDLE handle, DWORD how)
{
    if (how == EVENT_SET)
        return SetEvent(handle);
    if (how == EVENT_RESET)
        return ResetEvent(handle);
    return how == EVENT_PULSE ? PulseEvent(handle) : thread_error(ERROR_INVALID_PARAMETER);
}

SELDOM BOOL SetEventData(HANDLE handle, DWORD data)
{
    kernel_enter();
    struct event *event = event_find(handle);
    if (event != NULL)
        event->data = data;
    return event_done(event != NULL);
}

SELDOM DWORD GetEventData(HANDLE handle)
{
    kernel_enter();
    struct event *event = event_find(handle);
    DWORD data = event != NULL ? event->data : 0;
    event_done(event != NULL);
    return data;
}
