// SPDX-License-Identifier: MIT OR Apache-2.0
// measure.h — what a measure says of itself, and all that it sees.
#ifndef BACKWALL_PROBE_MEASURE_H
#define BACKWALL_PROBE_MEASURE_H

#include "ring.h"

#include <stdbool.h>
#include <stdint.h>

struct plan;

// All that a measure sees, in the measured thread.
struct measured {
    const struct plan *plan;
    struct ring *ring;
    uint64_t period;   // counts
    uint64_t first_at; // count of the release with seq 0
    uint64_t due;      // result: releases that came due
};

struct measure {
    const char *name;
    const char *summary;
    bool hidden;                     // for tests of the probe itself
    uint32_t points;                 // in [2, RING_POINTS]
    const char *point[RING_POINTS];  // the first is the stimulus
    const char *(*prepare)(void);    // before the threads; NULL, or returns NULL or why it cannot
    void (*run)(struct measured *measured); // in the measured thread, after it has settled
};

#endif
