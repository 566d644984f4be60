// SPDX-License-Identifier: MIT OR Apache-2.0
// Events.
#ifndef DETENT_EVENT_H
#define DETENT_EVENT_H

#include "core/likely.h"
#include "core/object.h"
#include "limits.h"

struct irq;

struct event {
    _Alignas(64) struct object object; // so that a masked handle is its offset
    uint8_t signalled, manual_reset;
    uint8_t waited; // somebody has waited: too late for InterruptInitialize
    uint32_t data;
    struct irq *irq; // whose event it is
    // Manual reset: those whom a SetEvent has still to release; who comes meanwhile is in object.waiters.
    struct waiters *releasing;
};

extern struct event events[EVENTS_MAX];

static inline struct event *event_find(HANDLE handle) // NULL when it is none
{
    struct event *event = &events[HANDLE_INDEX(handle, EVENTS_MAX)];
    return LIKELY(event->object.handle == (uintptr_t)handle) ? event : NULL;
}

void event_init(void);
void event_signal_rare(struct event *event); // gate closed; auto reset: nobody waits, or many, or not plainly

#endif
