// SPDX-License-Identifier: MIT OR Apache-2.0
// measured.h — a measured thread: its settings from the session, and its results.
#ifndef BACKWALL_PROBE_MEASURED_H
#define BACKWALL_PROBE_MEASURED_H

#include "measure.h"
#include "overhead.h"
#include "port/port.h"

#define MEASURED_REFUSALS 4u

struct measured_thread {
    struct measured measured;
    const struct measure *measure;
    int cpu;                                 // CPU of the thread, or PROBE_CPU_ANY
    uint32_t number;                         // the thread's number, from 0
    bool shares;                             // another measured thread has the same CPU
    bool takes_overhead;                     // this thread measures the cost of a clock read for all
    const char *refusals[MEASURED_REFUSALS]; // what the machine refused; NULL after the last
    uint64_t id;
    uint64_t resident_bytes; // resident memory before the first stimulus
    struct overhead overhead;
    struct port_usage usage_first; // usage before the measure; usage_last: after it
    struct port_usage usage_last;
    // Used by the session: counts of what came out of the ring, for each series.
    uint32_t first_series; // number of the thread's first series in the stream
    uint64_t done[RING_SERIES];
    uint64_t lost[RING_SERIES];
    // Set by the thread, read by the session.
    _Atomic bool settled; // the members from refusals to usage_first are final
    _Atomic bool ended;   // measured.due and usage_last are final
};

// The function of a measured thread; its argument is a struct measured_thread.
void measured_run(void *argument);
// For a thread that has ended: whether it was stopped before everything was measured.
bool measured_cut(const struct measured_thread *thread);

#endif
