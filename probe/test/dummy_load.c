// SPDX-License-Identifier: MIT OR Apache-2.0
// dummy: counts its own questions whether to go on. With one line in tables.c it is a load like any other.
#include "../load.h"

static void dummy_run(struct load_run *run, unsigned which)
{
    (void)which;
    while (!load_stopped(run))
        load_count(run, 1);
}

const struct load load_dummy = {
    .name = "dummy",
    .unit = "questions whether to go on",
    .summary = "asks whether to go on",
    .threads = 1,
    .run = dummy_run,
};
