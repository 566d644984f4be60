// SPDX-License-Identifier: MIT OR Apache-2.0
// handoff: pairs of threads wake each other in turn, so that the scheduler is busy.
#include "../port/port.h"
#include "../probe.h"

static struct port_event handoff_events[LOAD_THREADS_MAX];

void handoff_alternate(struct load_run *run, unsigned which, uint64_t timeout_ns)
{
    struct port_event *own = &handoff_events[which];
    struct port_event *other = &handoff_events[which ^ 1u];

    if (which % 2 == 0)
        port_event_set(other);
    while (!loadrun_stopped()) {
        if (!port_event_wait(own, timeout_ns))
            continue;
        loadrun_count(run, 1);
        port_event_set(other);
    }
}

void handoff_run(struct load_run *run, unsigned which)
{
    handoff_alternate(run, which, PORT_FOREVER);
}
