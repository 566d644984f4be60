// SPDX-License-Identifier: MIT OR Apache-2.0
// measure.h — the description of a measure, and everything that a measure may use.
#ifndef BACKWALL_PROBE_MEASURE_H
#define BACKWALL_PROBE_MEASURE_H

#include "ring.h"

#include <stdbool.h>
#include <stdint.h>

struct plan;
struct measured;

// A series that a measure declares.
struct series {
    const char *name;
    uint32_t points;                // in [2, RING_POINTS]
    const char *point[RING_POINTS]; // the first is the stimulus
    const char *const *fields;      // each key=value, NULL after the last; NULL: none
};

enum measure_trait {
    MEASURE_PERIODIC = 1, // answers scheduled releases; other measures repeat an operation, as often as requested
    MEASURE_HIDDEN = 2,   // not listed among the measures
    MEASURE_BRIEF = 4,    // ends within milliseconds: no tracer attaches, and the session polls the ring often
};

struct measure {
    const char *name;
    const char *summary;
    unsigned traits;             // flags of enum measure_trait
    const struct series *series; // all of them are in each measured thread
    uint32_t series_count;       // in [1, RING_SERIES]
    const char *(*prepare)(
        const struct plan *plan);           // before the threads start; may be NULL. Returns NULL or why it failed
    void (*run)(struct measured *measured); // called in each measured thread after it has settled
};

// What a measure can access, in one of its threads.
struct measured {
    const struct plan *plan;
    struct ring *ring;
    uint64_t last;             // stimuli of each series, warm-up included; UINT64_MAX if a time ends the measure
    uint64_t due[RING_SERIES]; // result: stimuli of each series that came due
    const char *failure;       // result: one line why measuring stopped early; NULL: nothing failed
    // For periodic measures:
    uint64_t period;   // in counts
    uint64_t first_at; // count of the release with seq 0
    // For other measures:
    uint64_t end_at;    // count at which the measure ends; UINT64_MAX if a number of stimuli ends it
    uint64_t rested_at; // count at which the thread last left the CPU to others
};

// Whether a measure without a period shall run its next round, with number seq in each series. Between rounds, while nothing is
// measured, it waits for room in the ring and sometimes yields the CPU, as a real-time thread must.
bool measured_goes_on(struct measured *measured, uint64_t seq);

#endif
