// SPDX-License-Identifier: MIT OR Apache-2.0
// runaway: a real-time thread that never waits, as a bug would make one. The port's guard must stop it.
#include "../measure.h"
#include "../port/port.h"

static void runaway_run(struct measured *measured)
{
    while (!port_guard_tripped() && !port_stop_asked())
        measured->due = 0;
}

const struct measure measure_runaway = {
    .name = "runaway",
    .summary = "never waits: the guard must stop it",
    .hidden = true,
    .points = 2,
    .point = {"expiry", "thread"},
    .run = runaway_run,
};
