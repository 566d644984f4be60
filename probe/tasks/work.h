// SPDX-License-Identifier: MIT OR Apache-2.0
// work.h — computing for a given time: turns of a loop whose length was measured, or until the thread has used the time.
#ifndef BACKWALL_PROBE_TASKS_WORK_H
#define BACKWALL_PROBE_TASKS_WORK_H

#include <stdbool.h>
#include <stdint.h>

// So many turns took so many counts, at best.
struct work_rate {
    uint64_t turns;
    uint64_t counts;
};

// At most some 50 ms of turns in the calling thread.
struct work_rate work_calibrate(void);
// Turns in a million nanoseconds at this rate.
uint64_t work_turns_per_ms(const struct work_rate *rate);

// What a job has for its work.
struct work {
    const struct work_rate *rate;   // NULL: until the thread has used the time
    const _Atomic uint64_t *end_at; // count at which all jobs are given up; may come nearer
    uint64_t give_up_at;            // count at which this one is
};
// Computes for so long. False: it was given up before.
bool work_do(const struct work *work, uint64_t ns);

#endif
