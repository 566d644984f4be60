// SPDX-License-Identifier: MIT OR Apache-2.0
// syscalls: makes short system calls of several kinds one after the other, so that an interrupt mostly finds the kernel
// busy.
#include "../load.h"
#include "../port/port.h"

static void syscalls_run(struct load_run *run, unsigned which)
{
    for (uint64_t turn = which; !load_stopped(run); turn++) {
        port_system_call(turn);
        load_count(run, 1);
    }
}

const struct load load_syscalls = {
    .name = "syscalls",
    .unit = "calls",
    .summary = "short kernel calls: identity, path lookup, open and close, poll",
    .threads = 1,
    .traits = LOAD_MANY,
    .run = syscalls_run,
};
