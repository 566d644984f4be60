/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The load timers: many timers expire at the same instant, again and again.
 *
 * A stock kernel serves them all in one hardware interrupt that nothing can interrupt; PREEMPT_RT serves the timers of
 * ordinary threads in a thread. Under this load the two kernels differ most (Documentation/timers/hrtimers.rst).
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "../../../probe/load.h"

enum { TIMERS = 200, PERIOD_NS = 4700000, FIRST_NS = 100000000, NS_PER_SECOND = 1000000000 };

void timers_run(struct load_run *run, unsigned which)
{
    int files[TIMERS];
    struct timespec now;
    (void)which;
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t first_ns = (uint64_t)now.tv_sec * NS_PER_SECOND + (uint64_t)now.tv_nsec + FIRST_NS;
    struct itimerspec together = {
        .it_value = {.tv_sec = (time_t)(first_ns / NS_PER_SECOND), .tv_nsec = (long)(first_ns % NS_PER_SECOND)},
        .it_interval = {.tv_nsec = PERIOD_NS},
    };
    for (int i = 0; i < TIMERS; i++) {
        files[i] = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
        if (files[i] < 0 || timerfd_settime(files[i], TFD_TIMER_ABSTIME, &together, NULL) != 0)
            load_fail(run, "a timer cannot be made");
    }
    /* A timer starts again when its expiry is read. */
    while (!load_stopped(run)) {
        uint64_t expiries;
        for (int i = 0; i < TIMERS; i++) {
            if (read(files[i], &expiries, sizeof expiries) != sizeof expiries)
                load_fail(run, "a timer cannot be read");
        }
        load_count(run, TIMERS);
    }
}
