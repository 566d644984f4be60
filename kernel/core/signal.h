// SPDX-License-Identifier: MIT OR Apache-2.0
// Sets an auto-reset event, for a call or for an interrupt. The gate must be closed.
#ifndef DETENT_SIGNAL_H
#define DETENT_SIGNAL_H

#include "core/event.h"
#include "core/waits.h"

void event_signal_rare(struct event *event); // handles every case: no waiter, several, or a wait for several objects

static inline void event_signal(struct event *event)
{
    if (UNLIKELY(!waiters_answer_plain(&event->object.waiters)))
        event_signal_rare(event);
}

#endif
