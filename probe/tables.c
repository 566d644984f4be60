// SPDX-License-Identifier: MIT OR Apache-2.0
// Everything that can be measured and every load, one line each.
#include "probe.h"

#include <stdio.h>
#include <string.h>

void wakeup_run(struct measured *measured);
const char *wakeup_cold_prepare(void);
void wakeup_cold_run(struct measured *measured);
void runaway_run(struct measured *measured);

const struct measure MEASURES[] = {
    {"wakeup", "absolute timer to waiting thread", false, 2, {"expiry", "thread"}, NULL, wakeup_run},
    {"wakeup-cold", "the same, with the caches swept before each wait", false, 2, {"expiry", "thread"},
     wakeup_cold_prepare, wakeup_cold_run},
    {"runaway", "never waits: the guard must stop it", true, 2, {"expiry", "thread"}, NULL, runaway_run},
};
const size_t MEASURES_COUNT = sizeof MEASURES / sizeof MEASURES[0];

void spin_run(struct load_run *run, unsigned which);
void cache_run(struct load_run *run, unsigned which);
void memory_run(struct load_run *run, unsigned which);
void syscalls_run(struct load_run *run, unsigned which);
void handoff_run(struct load_run *run, unsigned which);
const char *polygons_prepare(const struct plan *plan);
void polygons_run(struct load_run *run, unsigned which);
const char *disk_prepare(const struct plan *plan);
void disk_run(struct load_run *run, unsigned which);
const char *loopback_prepare(const struct plan *plan);
void loopback_run(struct load_run *run, unsigned which);
void idle2_run(struct load_run *run, unsigned which);
void idle3_run(struct load_run *run, unsigned which);
void idle5_run(struct load_run *run, unsigned which);

const struct load LOADS[] = {
    {"polygons", "polygons", "fills polygons", 1, LOAD_DRAWS, polygons_prepare, polygons_run},
    {"spin", "turns", "a thread that only counts", 1, 0, NULL, spin_run},
    {"cache", "sweeps", "writes every line of 16 MiB", 1, 0, NULL, cache_run},
    {"memory", "mebibytes", "copies 32 MiB", 1, 0, NULL, memory_run},
    {"syscalls", "calls", "short kernel calls", 1, 0, NULL, syscalls_run},
    {"handoff", "handoffs", "four pairs of threads wake each other", 8, 0, NULL, handoff_run},
    {"disk", "mebibytes", "writes a file and waits for the disk", 1, 0, disk_prepare, disk_run},
    {"loopback", "datagrams", "sends to itself through the network stack", 2, 0, loopback_prepare, loopback_run},
    {"idle1", "turns", "iltiming -i1: spins", 1, LOAD_IDLE, NULL, spin_run},
    {"idle2", "calls", "iltiming -i2: asks for idle priority again", 1, LOAD_IDLE, NULL, idle2_run},
    {"idle3", "handoffs", "iltiming -i3: two threads alternate, 10 s", 2, LOAD_IDLE, NULL, idle3_run},
    {"idle4", "handoffs", "iltiming -i4: two threads alternate, forever", 2, LOAD_IDLE, NULL, handoff_run},
    {"idle5", "maps", "iltiming -i5: maps and unmaps 64 KiB", 1, LOAD_IDLE, NULL, idle5_run},
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
