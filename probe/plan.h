// SPDX-License-Identifier: MIT OR Apache-2.0
// plan.h — what was typed becomes what is needed, in one place.
#ifndef BACKWALL_PROBE_PLAN_H
#define BACKWALL_PROBE_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#define PROBE_CPU_ANY (-1)
#define PROBE_THREADS_MAX 256u // that are measured at once

enum plan_policy { PLAN_FIFO, PLAN_ROUND_ROBIN, PLAN_DEADLINE };

struct measure;
struct load;

struct plan {
    const struct measure *measure; // NULL when a load is to run
    const struct load *load;       // NULL when a measure is to run
    uint64_t period_ns;            // in [PLAN_PERIOD_MIN_NS, PLAN_PERIOD_MAX_NS]
    uint64_t deadline_ns;          // an answer later than this is late; 0: the period
    uint64_t warmup;               // stimuli of each series before the steady state
    uint64_t count;                // stimuli after it; 0 for a load, and for a measure that a time ends
    uint64_t for_ns; // how long a load or a measure without a period runs; 0: until it is stopped, or count
    int cpu;         // a load's, or PROBE_CPU_ANY
    int16_t cpus[PROBE_THREADS_MAX]; // a measure's, one for each of its threads; PROBE_CPU_ANY with PLAN_DEADLINE
    uint32_t threads;                // of a measure, at least 1
    uint64_t mark;                   // address that an operation's marks are written to; 0: none
    uint64_t equal;                  // 1: the second thread of an operation is no more urgent than the first
    int partner_cpu;                 // of the second thread of an operation that has one elsewhere
    enum plan_policy policy;         // of a measure
    uint64_t runtime_ns;             // with PLAN_DEADLINE: processor time in each period that the kernel warrants
    unsigned priority;               // real-time 1 to 99; 0 is the ordinary scheduler
    unsigned priority_to;            // of a load's copies the highest, from priority on; at least that
    uint64_t copies;                 // of a load, at least 1
    bool overrun_queue;              // answer missed releases one by one instead of skipping them
    bool idle_off;                   // keep the processors out of idle states
    bool best_effort;                // go on with a warning when the machine refuses
    bool framebuffer;                // polygons go to the screen
};

// Fills plan from the arguments. False: it has printed one line that says why.
bool plan_read(struct plan *plan, int argc, char **argv);

#endif
