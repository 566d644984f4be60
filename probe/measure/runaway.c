// SPDX-License-Identifier: MIT OR Apache-2.0
// runaway: a real-time thread that never waits, as after a programming error. The port's guard must stop it.
#include "../measure.h"
#include "../port/port.h"

static void runaway_run(struct measured *measured)
{
    while (!port_guard_tripped() && !port_stop_asked())
        measured->due[0] = 0;
}

static const struct series RUNAWAY_SERIES[] = {
    {.name = "runaway", .points = 2, .point = {"expiry", "thread"}},
};

const struct measure measure_runaway = {
    .name = "runaway",
    .summary = "never waits: the guard must stop it",
    .traits = MEASURE_PERIODIC | MEASURE_HIDDEN,
    .series = RUNAWAY_SERIES,
    .series_count = 1,
    .run = runaway_run,
};
