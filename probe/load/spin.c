// SPDX-License-Identifier: MIT OR Apache-2.0
// spin: keeps a processor busy in user mode and touches nothing.
#include "../probe.h"

#define SPIN_STEPS 10000 // of one turn

void spin_run(struct load_run *run, unsigned which)
{
    volatile unsigned steps = which;

    while (!loadrun_stopped()) {
        for (int i = 0; i < SPIN_STEPS; i++)
            steps = steps + 1;
        loadrun_count(run, 1);
    }
}
