// SPDX-License-Identifier: MIT OR Apache-2.0
// Loops, and programs that delay them on purpose. Each is a process that runs until it is killed.
//
//   faults loop MICROSECONDS WORK CPU PRIORITY    wakes every MICROSECONDS and works for WORK microseconds
//   faults burn BUSY SLEEP CPU PRIORITY           works for BUSY microseconds, then sleeps for SLEEP microseconds
//   faults touch PAGES MICROSECONDS CPU PRIORITY  every MICROSECONDS touches PAGES fresh huge pages
//   faults merge MEGABYTES                        has memory that the kernel may search for equal pages
//   faults barrier                                makes every CPU wait for RCU, again and again
//
// CPU -1 is any CPU. Priority 0 is the ordinary scheduler.
#define _GNU_SOURCE
#include <linux/membarrier.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { HUGE = 2 * 1024 * 1024, PAGE = 4096 };

static const int64_t MICROSECOND = 1000;

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000 * MICROSECOND + time.tv_nsec;
}

static void sleep_until(int64_t at)
{
    struct timespec time = {.tv_sec = at / (1000000 * MICROSECOND), .tv_nsec = at % (1000000 * MICROSECOND)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) != 0) {
    }
}

static void become(const char *name, int cpu, int priority)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu < 0 ? 0 : cpu, &set);
    if (cpu >= 0 && sched_setaffinity(0, sizeof set, &set) != 0) {
        perror("sched_setaffinity");
        exit(4);
    }
    struct sched_param parameter = {.sched_priority = priority};
    if (priority > 0 && sched_setscheduler(0, SCHED_FIFO, &parameter) != 0) {
        perror("sched_setscheduler");
        exit(4);
    }
    prctl(PR_SET_NAME, name);
}

static void work(int64_t length)
{
    for (int64_t until = now() + length; now() < until;) {
    }
}

// Skips times that have passed: a thread that was late continues with the next one.
static int64_t next(int64_t at, int64_t period)
{
    int64_t passed = now() - at;
    return at + period * (passed < 0 ? 1 : 1 + passed / period);
}

static void be_a_loop(int64_t period, int64_t length)
{
    for (int64_t at = now() + period;; at = next(at, period)) {
        sleep_until(at);
        work(length);
    }
}

static void burn(int64_t busy, int64_t pause)
{
    for (;;) {
        work(busy);
        sleep_until(now() + pause);
    }
}

static void touch(int pages, int64_t period)
{
    for (int64_t at = now() + period;; at = next(at, period)) {
        sleep_until(at);
        size_t length = (size_t)(pages + 1) * HUGE;
        char *fresh = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        char *first = (char *)(((uintptr_t)fresh + HUGE - 1) & ~(uintptr_t)(HUGE - 1));
        for (int page = 0; fresh != MAP_FAILED && page < pages; page++) {
            *(volatile char *)(first + (size_t)page * HUGE) = 1;
        }
        munmap(fresh, length);
    }
}

// Half of the pages are equal. The others change all the time, so that the kernel never finishes searching.
static void merge(size_t megabytes)
{
    size_t length = megabytes << 20;
    char *memory = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || madvise(memory, length, MADV_MERGEABLE) != 0) {
        perror("madvise");
        exit(4);
    }
    for (int64_t round = 1;; round++) {
        for (size_t at = 0; at < length; at += PAGE) {
            *(volatile int64_t *)(memory + at) = at / PAGE % 2 == 0 ? 1 : round + (int64_t)at;
        }
        sleep_until(now() + 200000 * MICROSECOND);
    }
}

static void barrier(void)
{
    for (;;) {
        syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
    }
}

int main(int count, char **words)
{
    const char *kind = count > 1 ? words[1] : "";
    int64_t number[4] = {0, 0, -1, 0};
    for (int word = 2; word < count && word < 6; word++) {
        number[word - 2] = atoll(words[word]);
    }
    char name[16];
    snprintf(name, sizeof name, "bf-%s", kind);
    become(name, (int)number[2], (int)number[3]);
    printf("ready %d\n", getpid());
    fflush(stdout);
    if (strcmp(kind, "loop") == 0) {
        be_a_loop(number[0] * MICROSECOND, number[1] * MICROSECOND);
    } else if (strcmp(kind, "burn") == 0) {
        burn(number[0] * MICROSECOND, number[1] * MICROSECOND);
    } else if (strcmp(kind, "touch") == 0) {
        touch((int)number[0], number[1] * MICROSECOND);
    } else if (strcmp(kind, "merge") == 0) {
        merge((size_t)number[0]);
    } else if (strcmp(kind, "barrier") == 0) {
        barrier();
    }
    fprintf(stderr, "faults loop|burn|touch|merge|barrier NUMBER [NUMBER] [CPU] [PRIORITY]\n");
    return 2;
}
