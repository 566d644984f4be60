/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * recorder WAY N: the guest's kernel records N switches between two threads in the given way. The cost of a way is the
 * difference between its counts and those of the way `off`. For each way, the host subtracts the counts of N switches
 * from those of 2 N, so that the start and end of the program cancel out.
 *
 * tracefs: Documentation/trace/{ftrace,events}.rst; perf_event_open(2).
 */
#define _GNU_SOURCE
#include "recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PATH_BYTES = 128, TEXT_BYTES = 512, PRIORITY = 40, PERF_PAGES = 256 };

#define TRACEFS "/sys/kernel/tracing"
#define SWITCHES TRACEFS "/events/sched/sched_switch/"

static uint64_t each;
static int perf_events;

_Noreturn void record_fail(const char *what)
{
    fprintf(stderr, "recorder: %s: %s\n", what, strerror(errno));
    _exit(1);
}

static void set(const char *path, const char *value)
{
    int file = open(path, O_WRONLY | O_TRUNC);
    if (file < 0 || write(file, value, strlen(value)) < 0)
        record_fail(path);
    close(file);
}

static void get(const char *path, char text[TEXT_BYTES])
{
    int file = open(path, O_RDONLY);
    ssize_t count = file < 0 ? -1 : read(file, text, TEXT_BYTES - 1);
    if (count < 0)
        record_fail(path);
    text[count] = 0;
    close(file);
}

static void tracefs_there(void)
{
    if (mount("tracefs", TRACEFS, "tracefs", 0, NULL) != 0 && errno != EBUSY)
        record_fail(TRACEFS);
}

static void off_begin(uint64_t events)
{
    (void)events;
    tracefs_there();
}

static uint64_t off_written(void)
{
    return UINT64_MAX;
}

static void ring_begin(uint64_t events)
{
    (void)events;
    tracefs_there();
    set(TRACEFS "/trace", "");
    set(SWITCHES "enable", "1");
}

static void ring_stack_begin(uint64_t events)
{
    ring_begin(events);
    set(SWITCHES "trigger", "stacktrace");
}

static uint64_t number_behind(const char *text, const char *name)
{
    const char *found = strstr(text, name);
    return found ? strtoull(found + strlen(name), NULL, 10) : 0;
}

/* The count includes overwritten events. A stack is an event of its own. */
static uint64_t ring_written(void)
{
    char text[TEXT_BYTES];
    set(SWITCHES "enable", "0");
    get(TRACEFS "/per_cpu/cpu0/stats", text);
    return number_behind(text, "entries: ") + number_behind(text, "overrun: ");
}

static uint64_t ring_stack_written(void)
{
    set(SWITCHES "trigger", "!stacktrace");
    return ring_written() / 2;
}

/* The kernel overwrites a full ring if it was mapped read-only. */
static void perf_open(uint64_t more)
{
    char text[TEXT_BYTES];
    tracefs_there();
    get(SWITCHES "id", text);
    struct perf_event_attr event = {.type = PERF_TYPE_TRACEPOINT,
                                    .size = sizeof event,
                                    .config = strtoull(text, NULL, 10),
                                    .sample_period = 1,
                                    .sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_TIME | PERF_SAMPLE_TID | more,
                                    .exclude_callchain_user = 1};
    perf_events = (int)syscall(SYS_perf_event_open, &event, -1, 0, -1, 0);
    if (perf_events < 0)
        record_fail("perf_event_open");
    size_t bytes = (PERF_PAGES + 1) * (size_t)sysconf(_SC_PAGESIZE);
    if (mmap(NULL, bytes, PROT_READ, MAP_SHARED, perf_events, 0) == MAP_FAILED)
        record_fail("perf's ring");
}

static void perf_begin(uint64_t events)
{
    (void)events;
    perf_open(0);
}

static void perf_stack_begin(uint64_t events)
{
    (void)events;
    perf_open(PERF_SAMPLE_CALLCHAIN);
}

static uint64_t perf_written(void)
{
    uint64_t count = 0;
    if (read(perf_events, &count, sizeof count) != sizeof count)
        record_fail("perf's count");
    return count;
}

/* Leaves room for other events of the guest. */
static void bpf_plain_begin(uint64_t events)
{
    tracefs_there();
    bpf_begin(false, 2 * events + 4096);
}

static void bpf_stack_begin(uint64_t events)
{
    tracefs_there();
    bpf_begin(true, 2 * events + 4096);
}

static const struct way {
    const char *name;
    void (*begin)(uint64_t events);
    uint64_t (*written)(void);
} WAYS[] = {
    {"off", off_begin, off_written},
    {"ring", ring_begin, ring_written},
    {"ring+stack", ring_stack_begin, ring_stack_written},
    {"perf", perf_begin, perf_written},
    {"perf+stack", perf_stack_begin, perf_written},
    {"bpf", bpf_plain_begin, bpf_written},
    {"bpf+stack", bpf_stack_begin, bpf_written},
};

static void *yields(void *unused)
{
    for (uint64_t i = 0; i < each; i++)
        sched_yield();
    return unused;
}

/* Two threads of equal priority: each yield switches to the other one. */
static void switches(void)
{
    pthread_t threads[2];
    pthread_attr_t attributes;
    struct sched_param above = {.sched_priority = PRIORITY + 1}, parameters = {.sched_priority = PRIORITY};
    pthread_attr_init(&attributes);
    pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedpolicy(&attributes, SCHED_FIFO);
    pthread_attr_setschedparam(&attributes, &parameters);
    if (sched_setscheduler(0, SCHED_FIFO, &above) != 0)
        record_fail("a real-time priority");
    for (int i = 0; i < 2; i++) {
        errno = pthread_create(&threads[i], &attributes, yields, NULL);
        if (errno)
            record_fail("a thread");
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}

int main(int count, char **words)
{
    errno = EINVAL;
    if (count != 3)
        record_fail("want WAY N");
    const char *name = words[1];
    uint64_t events = strtoull(words[2], NULL, 10);
    for (size_t i = 0; i < sizeof WAYS / sizeof WAYS[0]; i++) {
        if (strcmp(WAYS[i].name, name) != 0)
            continue;
        each = events / 2;
        WAYS[i].begin(events);
        switches();
        if (WAYS[i].written() >= events)
            return 0;
        errno = ENODATA;
        record_fail("fewer events than there were");
    }
    errno = EINVAL;
    record_fail(name);
}
