// SPDX-License-Identifier: MIT OR Apache-2.0
// plan.h — converts the arguments into a plan.
#ifndef BACKWALL_PROBE_PLAN_H
#define BACKWALL_PROBE_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#define PROBE_CPU_ANY (-1)
#define PROBE_THREADS_MAX 256u // threads measured at the same time

enum plan_policy { PLAN_FIFO, PLAN_ROUND_ROBIN, PLAN_DEADLINE };

struct measure;
struct load;

struct plan {
    const struct measure *measure; // NULL when a load is to run
    const struct load *load;       // NULL when a measure is to run
    uint64_t period_ns;            // in [PLAN_PERIOD_MIN_NS, PLAN_PERIOD_MAX_NS]
    uint64_t deadline_ns;          // an answer later than this is late; 0: the period
    uint64_t warmup;               // stimuli of each series before the measured part
    uint64_t count;                // measured stimuli; 0 for a load, and for a measure that a time ends
    uint64_t for_ns; // how long a load or a measure without a period runs; 0: until stopped, or until `count`
    int cpu;         // a load's CPU, or PROBE_CPU_ANY
    int16_t cpus[PROBE_THREADS_MAX]; // a measure's CPUs, one for each thread; PROBE_CPU_ANY with PLAN_DEADLINE
    uint32_t threads;                // threads of a measure, at least 1
    uint64_t mark;                   // address to which an operation writes its marks; 0: none
    uint64_t equal;                  // 1: both threads of an operation have the same priority
    int partner_cpu;                 // CPU of an operation's second thread, if it is on another one
    enum plan_policy policy;         // policy of a measure
    uint64_t runtime_ns;             // with PLAN_DEADLINE: CPU time that the kernel guarantees in each period
    unsigned priority;               // real-time 1 to 99; 0 is the ordinary scheduler
    unsigned priority_to;            // highest priority of a load's copies; at least `priority`, where they begin
    uint64_t copies;                 // copies of a load, at least 1
    bool overrun_queue;              // answer missed releases one by one instead of skipping them
    bool idle_off;                   // keep the CPUs out of idle states
    bool best_effort;                // continue with a warning if the machine refuses a setting
    bool framebuffer;                // polygons are drawn on the screen
};

// Fills plan from the arguments. False: it has printed one line that says why.
bool plan_read(struct plan *plan, int argc, char **argv);

#endif
