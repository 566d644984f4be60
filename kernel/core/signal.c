// SPDX-License-Identifier: MIT OR Apache-2.0
// See signal.h.
#include "core/signal.h"

void event_signal_rare(struct event *event)
{
    if (!waiters_release_one(&event->object.waiters))
        event->state.signalled = 1;
}
