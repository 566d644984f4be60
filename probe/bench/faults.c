// SPDX-License-Identifier: MIT OR Apache-2.0
// Loops and what makes them late on purpose, each a process of its own until it is killed: `faults loop MICROSECONDS WORK CPU PRIORITY`
// wakes every so many microseconds and works for so many; `faults burn BUSY SLEEP CPU PRIORITY` is busy for so many microseconds at a
// time; `faults touch PAGES MICROSECONDS CPU PRIORITY` touches that many pages of fresh memory, each of a huge page of its own, every so
// many microseconds; `faults merge MEGABYTES` has memory that the kernel may search for equal pages; `faults barrier` asks every
// processor to wait for RCU, again and again; `faults strike TIMES HELD CPU PRIORITY` is busy so many times for so many microseconds and
// says when each began. A CPU of -1 is any; a priority of 0 is none. A further word is the name of the process, and one more that of a
// thread of it that is the loop.
#define _GNU_SOURCE
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
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

// Instants that are past already are left out: who was late goes on with the next one.
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

// Half of the pages are equal; the others change all the time, so that the search never ends.
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

static void strike(int times, int64_t held)
{
    for (int time = 0; time < times; time++) {
        struct timespec wall;
        // Of a length that fits no period.
        sleep_until(now() + (300000 + 7919 * (time % 11)) * MICROSECOND);
        clock_gettime(CLOCK_REALTIME, &wall);
        work(held);
        printf("struck %lld.%09ld\n", (long long)wall.tv_sec, wall.tv_nsec);
        fflush(stdout);
    }
}

static void barrier(void)
{
    for (;;) {
        syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
    }
}

struct asked {
    const char *kind, *thread;
    int64_t number[4];
};

static void *run(void *all)
{
    const struct asked *asked = all;
    const char *kind = asked->kind;
    const int64_t *number = asked->number;
    become(asked->thread, (int)number[2], (int)number[3]);
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
    } else {
        strike((int)number[0], number[1] * MICROSECOND);
    }
    return NULL;
}

static int is_known(const char *kind)
{
    static const char *known[] = {"loop", "burn", "touch", "merge", "barrier", "strike"};
    for (size_t at = 0; at < sizeof known / sizeof *known; at++) {
        if (strcmp(kind, known[at]) == 0) {
            return 1;
        }
    }
    return 0;
}

int main(int count, char **words)
{
    struct asked asked = {.kind = count > 1 ? words[1] : "", .number = {0, 0, -1, 0}};
    if (!is_known(asked.kind)) {
        fprintf(stderr,
                "faults loop|burn|touch|merge|barrier|strike NUMBER [NUMBER] [CPU] [PRIORITY] [NAME] [THREAD]\n");
        return 2;
    }
    for (int word = 2; word < count && word < 6; word++) {
        asked.number[word - 2] = atoll(words[word]);
    }
    char name[16];
    snprintf(name, sizeof name, "bf-%s", asked.kind);
    asked.thread = count > 6 ? words[6] : name;
    if (count <= 7) {
        run(&asked);
        return 0;
    }
    pthread_t thread;
    asked.thread = words[7];
    prctl(PR_SET_NAME, words[6]);
    pthread_create(&thread, NULL, run, &asked);
    pthread_join(thread, NULL);
    return 0;
}
