// SPDX-License-Identifier: MIT OR Apache-2.0
// The type of an event, and its inline functions.
#ifndef DETENT_EVENT_H
#define DETENT_EVENT_H

#include "core/likely.h"
#include "core/object.h"
#include "limits.h"

struct irq;

struct event_state {
    uint8_t signalled;
    uint8_t waited; // a thread has waited for the event, so InterruptInitialize refuses the event
};

struct event {
    _Alignas(64) struct object object;   // so that a masked handle is the event's offset
    struct irq *irq;                     // the interrupt that this event belongs to
    struct event_state state, satisfied; // satisfied: the new state after a wait that finds the event signalled
    uint32_t data;
};

_Static_assert(sizeof(struct event) == 64, "an event's offset is its handle masked");

extern struct event events[EVENTS_MAX]; // defined in objects.c

static inline struct event *event_find(HANDLE handle) // NULL if the handle is not an event's
{
    struct event *event = &events[HANDLE_INDEX(handle, EVENTS_MAX)];
    return LIKELY(event->object.handle == (uintptr_t)handle) ? event : NULL;
}

static inline bool event_is_manual(const struct event *event)
{
    return event->satisfied.signalled;
}

// Takes the event if it is set; otherwise does nothing and returns false.
static inline bool event_poll(struct event *event)
{
    if (!event->state.signalled)
        return false;
    event->state = event->satisfied;
    return true;
}

#endif
