// SPDX-License-Identifier: MIT OR Apache-2.0
// work.h — computes for a given time: by turns of a calibrated loop, or until the thread has used the CPU time.
#ifndef BACKWALL_PROBE_TASKS_WORK_H
#define BACKWALL_PROBE_TASKS_WORK_H

#include <stdbool.h>
#include <stdint.h>

// The fastest calibration: this many turns took this many counts.
struct work_rate {
    uint64_t turns;
    uint64_t counts;
};

// Calibrates in the calling thread, with turns of at most about 50 ms.
struct work_rate work_calibrate(void);
// Turns of the loop per million nanoseconds, at this rate.
uint64_t work_turns_per_ms(const struct work_rate *rate);

// What a job needs for its computation.
struct work {
    const struct work_rate *rate;   // NULL: work until the thread has used the CPU time
    const _Atomic uint64_t *end_at; // count at which all jobs are given up; may be moved nearer
    uint64_t give_up_at;            // count at which this job is given up
};
// Computes for `ns`. False if the job was given up before that.
bool work_do(const struct work *work, uint64_t ns);

#endif
