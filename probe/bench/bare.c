// SPDX-License-Identifier: MIT OR Apache-2.0
// The lower limit for any tool of this kind: a loop that only waits for an absolute timer and reads the clock.
//
//   bare CPU PRIORITY PERIOD_NS COUNT as-is|off [only]
//
// Prints the number of due and done releases, the median latency and the 99 % quantile. With `only` it prints nothing,
// so that the CPU time of the process is that of the loop alone. It skips releases that came due during a late
// response.
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_SECOND 1000000000ll

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * NS_PER_SECOND + now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    int64_t difference = *(const int64_t *)a - *(const int64_t *)b;

    return (difference > 0) - (difference < 0);
}

static void settle(int cpu, int priority, const char *idle)
{
    struct sched_param fifo = {.sched_priority = priority};
    cpu_set_t only;

    CPU_ZERO(&only);
    CPU_SET((size_t)cpu, &only);
    if (strcmp(idle, "off") == 0) {
        int file = open("/dev/cpu_dma_latency", O_WRONLY);

        if (file < 0 || write(file, &(int32_t){0}, 4) != 4)
            exit(4);
    }
    if (mlockall(MCL_CURRENT | MCL_FUTURE) || sched_setaffinity(0, sizeof only, &only)
        || sched_setscheduler(0, SCHED_FIFO, &fifo))
        exit(4);
}

int main(int argc, char **argv)
{
    bool only = argc == 7 && strcmp(argv[6], "only") == 0;
    if (argc != 6 && !only)
        return 2;
    int64_t period_ns = atoll(argv[3]);
    int64_t due = atoll(argv[4]);
    int64_t done = 0;

    settle(atoi(argv[1]), atoi(argv[2]), argv[5]);
    int64_t *latency_ns = calloc((size_t)due, sizeof *latency_ns);
    int64_t release_ns = now_ns() + NS_PER_SECOND / 10;
    int64_t end_ns = release_ns + due * period_ns;

    while (release_ns < end_ns) {
        struct timespec until = {.tv_sec = release_ns / NS_PER_SECOND, .tv_nsec = release_ns % NS_PER_SECOND};

        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
        int64_t response_ns = now_ns();

        latency_ns[done++] = response_ns - release_ns;
        do
            release_ns += period_ns;
        while (release_ns <= response_ns);
    }
    if (only)
        return 0;
    qsort(latency_ns, (size_t)done, sizeof *latency_ns, compare);
    printf("due %lld done %lld median_ns %lld p99_ns %lld\n", (long long)due, (long long)done,
           (long long)latency_ns[done / 2], (long long)latency_ns[done * 99 / 100]);
    return 0;
}
