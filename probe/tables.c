// SPDX-License-Identifier: MIT OR Apache-2.0
// The tables of all measures and loads, one line each.
#include "tables.h"

#include "load.h"
#include "measure.h"
#include "operation.h"

#include <stdio.h>
#include <string.h>

// Each measure and load is described at the end of its own file, as measure_NAME or load_NAME.

// clang-format off
#define MEASURES_ALL(entry) \
    entry(wakeup) \
    entry(wakeup_cold) \
    entry(runaway)

#define LOADS_ALL(entry) \
    entry(polygons) \
    entry(spin) \
    entry(cache) \
    entry(memory) \
    entry(syscalls) \
    entry(handoff) \
    entry(disk) \
    entry(loopback) \
    entry(idle1) \
    entry(idle2) \
    entry(idle3) \
    entry(idle4) \
    entry(idle5)
// clang-format on

#define MEASURE_DECLARED(name) extern const struct measure measure_##name;
#define MEASURE_ENTRY(name) &measure_##name,
#define LOAD_DECLARED(name) extern const struct load load_##name;
#define LOAD_ENTRY(name) &load_##name,

MEASURES_ALL(MEASURE_DECLARED)
LOADS_ALL(LOAD_DECLARED)

static const struct measure *const MEASURES[] = {MEASURES_ALL(MEASURE_ENTRY)};
static const size_t MEASURES_COUNT = sizeof MEASURES / sizeof MEASURES[0];
static const struct load *const LOADS[] = {LOADS_ALL(LOAD_ENTRY)};
static const size_t LOADS_COUNT = sizeof LOADS / sizeof LOADS[0];

const struct measure *tables_measure(const char *name)
{
    for (size_t i = 0; i < MEASURES_COUNT; i++) {
        if (strcmp(MEASURES[i]->name, name) == 0)
            return MEASURES[i];
    }
    return NULL;
}

const struct load *tables_load(const char *name)
{
    for (size_t i = 0; i < LOADS_COUNT; i++) {
        if (strcmp(LOADS[i]->name, name) == 0)
            return LOADS[i];
    }
    return NULL;
}

const struct measure *tables_operation(const char *test)
{
    return operation_measure(test);
}

// One line per row of the table of operations, in fields that the host reads.
static void print_operation(const struct operation *of)
{
    const char *scheduler = of->place & OPERATION_ORDINARY ? "ordinary" : "real-time";
    const char *process = of->place & OPERATION_ACROSS ? "other-process" : "same-process";
    const char *processor = of->place & OPERATION_ELSEWHERE ? "other-processor" : "same-processor";
    const char *caches = of->place & OPERATION_SWEPT ? "swept" : "warm";

    printf("operation\t%s\t%u\t%s\t%s\t%s\t%s\t%s\t%u\t%s\n", of->test, (unsigned)of->paper, of->name, process,
           processor, scheduler, caches, (unsigned)of->batch, of->says);
}

// One line per series: its measure, its name, the number of its points, their names, its fields.
static void print_series(const struct measure *measure)
{
    for (uint32_t i = 0; i < measure->series_count; i++) {
        const struct series *series = &measure->series[i];

        printf("series\t%s\t%s\t%u", measure->name, series->name, (unsigned)series->points);
        for (uint32_t point = 0; point < series->points; point++)
            printf("\t%s", series->point[point]);
        for (const char *const *field = series->fields; field && *field; field++)
            printf("\t%s", *field);
        printf("\n");
    }
}

void tables_print(void)
{
    for (size_t i = 0; i < MEASURES_COUNT; i++) {
        const struct measure *measure = MEASURES[i];
        const char *kind = measure->traits & MEASURE_PERIODIC ? "periodic" : "counted";

        if (measure->traits & MEASURE_HIDDEN)
            continue;
        printf("measure\t%s\t%s\t%s\n", measure->name, kind, measure->summary);
        print_series(measure);
    }
    for (size_t i = 0; i < LOADS_COUNT; i++)
        printf("load\t%s\t%s\t%s\t%u\n", LOADS[i]->name, LOADS[i]->unit, LOADS[i]->summary,
               LOADS[i]->traits & LOAD_MANY ? LOAD_THREADS_MAX / LOADS[i]->threads : 1);
    for (uint32_t i = 0; i < OPERATIONS_COUNT; i++)
        print_operation(&OPERATIONS[i]);
}
