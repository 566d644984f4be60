// SPDX-License-Identifier: MIT OR Apache-2.0
// Everything that can be measured and every load, one line each.
#include "probe.h"

#include <stdio.h>
#include <string.h>

void wakeup_run(struct measured *measured);
void runaway_run(struct measured *measured);

const struct measure MEASURES[] = {
    {"wakeup", "absolute timer to waiting thread", false, 2, {"expiry", "thread"}, wakeup_run},
    {"runaway", "never waits: the guard must stop it", true, 2, {"expiry", "thread"}, runaway_run},
};
const size_t MEASURES_COUNT = sizeof MEASURES / sizeof MEASURES[0];

void spin_run(struct load_run *run, unsigned which);

const struct load LOADS[] = {
    {"spin", "turns", "a thread that only counts", 1, false, NULL, spin_run},
};
const size_t LOADS_COUNT = sizeof LOADS / sizeof LOADS[0];

const struct measure *tables_measure(const char *name)
{
    for (size_t i = 0; i < MEASURES_COUNT; i++) {
        if (strcmp(MEASURES[i].name, name) == 0)
            return &MEASURES[i];
    }
    return NULL;
}

const struct load *tables_load(const char *name)
{
    for (size_t i = 0; i < LOADS_COUNT; i++) {
        if (strcmp(LOADS[i].name, name) == 0)
            return &LOADS[i];
    }
    return NULL;
}

void tables_print(void)
{
    for (size_t i = 0; i < MEASURES_COUNT; i++) {
        if (!MEASURES[i].hidden)
            printf("measure\t%s\t%s\n", MEASURES[i].name, MEASURES[i].summary);
    }
    for (size_t i = 0; i < LOADS_COUNT; i++)
        printf("load\t%s\t%s\t%s\n", LOADS[i].name, LOADS[i].unit, LOADS[i].summary);
}
