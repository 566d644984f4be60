// SPDX-License-Identifier: MIT OR Apache-2.0
// syscalls: short kernel calls of several kinds, one after the other, so that an interrupt mostly finds the kernel busy.
#include "../port/port.h"
#include "../probe.h"

void syscalls_run(struct load_run *run, unsigned which)
{
    for (uint64_t turn = which; !loadrun_stopped(); turn++) {
        port_system_call(turn);
        loadrun_count(run, 1);
    }
}
