// SPDX-License-Identifier: MIT OR Apache-2.0
// spin: keeps a CPU busy in user mode and touches no memory.
#include "../load.h"

#define SPIN_STEPS 10000 // steps per counted turn

static void spin_run(struct load_run *run, unsigned which)
{
    volatile unsigned steps = which;

    while (!load_stopped(run)) {
        for (int i = 0; i < SPIN_STEPS; i++)
            steps = steps + 1;
        load_count(run, 1);
    }
}

const struct load load_spin = {
    .name = "spin",
    .unit = "turns",
    .summary = "counts and touches no memory; a turn is 10,000 steps",
    .threads = 1,
    .traits = LOAD_MANY,
    .run = spin_run,
};

const struct load load_idle1 = {
    .name = "idle1",
    .unit = "turns",
    .summary = "iltiming -i1: spins",
    .threads = 1,
    .traits = LOAD_IDLE,
    .run = spin_run,
};
