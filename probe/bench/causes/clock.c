// SPDX-License-Identifier: MIT OR Apache-2.0
#define _GNU_SOURCE
#include "clock.h"
#include <time.h>

static int64_t read_ns(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * SECOND + time.tv_nsec;
}

int64_t clock_now(void)
{
    return read_ns(CLOCK_MONOTONIC);
}

int64_t clock_used(void)
{
    return read_ns(CLOCK_THREAD_CPUTIME_ID);
}

void clock_sleep_until(int64_t at_ns)
{
    struct timespec time = {.tv_sec = at_ns / SECOND, .tv_nsec = at_ns % SECOND};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) != 0) {
    }
}

void clock_spin_until(int64_t at_ns)
{
    while (clock_now() < at_ns) {
    }
}
