// SPDX-License-Identifier: MIT OR Apache-2.0
// handoff: pairs of threads wake each other in turn, so that the scheduler is busy.
#include "handoff.h"

#include "../load.h"
#include "../port/port.h"

static struct port_event handoff_events[LOAD_THREADS_MAX];

void handoff_alternate(struct load_run *run, unsigned which, uint64_t timeout_ns)
{
    struct port_event *own = &handoff_events[which];
    struct port_event *other = &handoff_events[which ^ 1u];

    if (which % 2 == 0)
        port_event_set(other);
    while (!load_stopped(run)) {
        if (!port_event_wait(own, timeout_ns))
            continue;
        load_count(run, 1);
        port_event_set(other);
    }
}

static void handoff_run(struct load_run *run, unsigned which)
{
    handoff_alternate(run, which, PORT_FOREVER);
}

const struct load load_handoff = {
    .name = "handoff",
    .unit = "handoffs",
    .summary = "four pairs of threads wake each other",
    .threads = 8,
    .traits = LOAD_MANY,
    .run = handoff_run,
};

const struct load load_idle4 = {
    .name = "idle4",
    .unit = "handoffs",
    .summary = "iltiming -i4: two threads alternate, forever",
    .threads = 2,
    .traits = LOAD_IDLE,
    .run = handoff_run,
};
