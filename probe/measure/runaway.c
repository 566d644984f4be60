// SPDX-License-Identifier: MIT OR Apache-2.0
// runaway: a real-time thread that never waits, as a bug would make one. The port's guard must stop it.
#include "../port/port.h"
#include "../probe.h"

void runaway_run(struct measured *measured)
{
    while (!port_guard_tripped() && !port_stop_asked())
        measured->due = 0;
}
