// SPDX-License-Identifier: MIT OR Apache-2.0
// See burst.h. Each timer sends a signal that is ignored; without a signal the kernel would not arm the timer. A kernel with
// PREEMPT_RT serves a program's timers in a thread, not in the interrupt.
#define _GNU_SOURCE
#include "burst.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

enum { MOST = 60000, FIRST = 64 };

static const int64_t SECOND = 1000000000;
static const int64_t SLACK = 2000000; // time to arm the first FIRST timers
static timer_t timers[MOST];
static int count;

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * SECOND + time.tv_nsec;
}

static void lengthen(int more)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 3};
    for (; more > 0; more--, count++) {
        if (count == MOST || timer_create(CLOCK_MONOTONIC, &event, &timers[count]) != 0) {
            fprintf(stderr, "interrupt: no burst of timers is long enough here: %d\n", count);
            exit(4);
        }
    }
}

// Length of the longest gap between two reads of the clock by this thread, which does nothing else. The expiry of the timers is
// in that gap.
static int64_t longest_gap(int64_t until)
{
    int64_t longest = 0;
    for (int64_t last = now(), read; last < until; last = read) {
        read = now();
        longest = read - last > longest ? read - last : longest;
    }
    return longest;
}

// The shortest of three measurements, because anything else that runs in between lengthens one.
static int64_t length_ns(void)
{
    int64_t shortest = INT64_MAX;
    for (int try = 0; try < 3; try++) {
        int64_t begun = now();
        burst_arm(begun + 64 * SECOND);
        int64_t at = now() + 2 * (now() - begun) + SLACK;
        burst_arm(at);
        int64_t gap = longest_gap(at + SLACK);
        shortest = gap < shortest ? gap : shortest;
    }
    return shortest;
}

void burst_prepare(int64_t for_ns)
{
    struct rlimit many = {.rlim_cur = 2 * MOST, .rlim_max = 2 * MOST};
    setrlimit(RLIMIT_SIGPENDING, &many);
    signal(SIGRTMIN + 3, SIG_IGN);
    lengthen(FIRST);
    while (length_ns() < for_ns) {
        lengthen(count / 4);
    }
}

void burst_arm(int64_t at_ns)
{
    struct itimerspec once = {.it_value = {.tv_sec = at_ns / SECOND, .tv_nsec = at_ns % SECOND}};
    for (int which = 0; which < count; which++) {
        timer_settime(timers[which], TIMER_ABSTIME, &once, NULL);
    }
}
