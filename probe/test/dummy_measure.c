// SPDX-License-Identifier: MIT OR Apache-2.0
// dummy: forty series from one measured thread, without a period. With one line in tables.c it is a measure like any other.
//
// Series s takes 3 + s clock reads between its points, so on the scripted clock every value is 3 + s counts.
#include "../measure.h"
#include "../port/port.h"

#define DUMMY_SERIES 40u
#define DUMMY_READS 3u // of series 0, between its points

#define DUMMY(tens, ones) \
    { \
        .name = "dummy-operation-number-" #tens #ones, .points = 2, .point = { "begin", "end" } \
    }
#define DUMMY_TEN(tens) \
    DUMMY(tens, 0), DUMMY(tens, 1), DUMMY(tens, 2), DUMMY(tens, 3), DUMMY(tens, 4), DUMMY(tens, 5), DUMMY(tens, 6), \
        DUMMY(tens, 7), DUMMY(tens, 8)

static const char *const DUMMY_FIELDS[] = {"size=64", NULL};
static const struct series SERIES[DUMMY_SERIES] = {
    DUMMY_TEN(0),
    DUMMY_TEN(1),
    DUMMY_TEN(2),
    DUMMY_TEN(3),
    // Four measurements of the same name, which differ in a field.
    {.name = "dummy-copy", .points = 2, .point = {"begin", "end"}},
    {.name = "dummy-copy", .points = 2, .point = {"begin", "end"}, .fields = DUMMY_FIELDS},
    {.name = "dummy-copy", .points = 2, .point = {"begin", "end"}, .fields = (const char *const[]){"size=128", NULL}},
    {.name = "dummy-copy", .points = 2, .point = {"begin", "end"}, .fields = (const char *const[]){"size=256", NULL}},
};

static void dummy_once(struct measured *measured, uint64_t seq, uint16_t series)
{
    struct ring_entry sample = {.kind = RING_SAMPLE, .series = series, .seq = seq};

    sample.at[0] = port_clock_read();
    for (uint32_t reads = 1; reads < DUMMY_READS + series; reads++)
        port_clock_read();
    sample.at[1] = port_clock_read();
    ring_push(measured->ring, &sample);
}

static void dummy_run(struct measured *measured)
{
    for (uint64_t seq = 0; measured_goes_on(measured, seq); seq++) {
        for (uint16_t series = 0; series < DUMMY_SERIES; series++) {
            dummy_once(measured, seq, series);
            measured->due[series]++;
        }
    }
}

const struct measure measure_dummy = {
    .name = "dummy",
    .summary = "forty series of one process",
    .series = SERIES,
    .series_count = DUMMY_SERIES,
    .run = dummy_run,
};
