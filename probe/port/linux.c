// SPDX-License-Identifier: MIT OR Apache-2.0
// Linux: the clock, threads, waiting, and the connection to the host.
//
// The clock is CLOCK_MONOTONIC in nanoseconds, read in user space if the kernel maps it (vDSO). The absolute timer of a
// wait uses the same clock, and so does the kernel's trace with its clock `mono`.
#define _GNU_SOURCE
#include "port.h"

#include "../../wire/wire.h"
#include "linux_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_SECOND 1000000000ull
#define STACK_BYTES (256u * 1024u) // stacks are locked in memory; the default of 8 MiB would be locked too

#define THREADS_MAX 512u // threads that can be woken

static pthread_t linux_threads[THREADS_MAX]; // all threads; only one thread starts threads
static size_t linux_threads_count;

const char *port_device(void)
{
    return "linux";
}

uint64_t port_clock_read(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_SECOND + (uint64_t)now.tv_nsec;
}

uint64_t port_clock_hz(void)
{
    return NS_PER_SECOND;
}

uint32_t port_clock_unit(void)
{
    return WIRE_UNIT_TIME;
}

const char *port_clock_name(void)
{
    return "CLOCK_MONOTONIC";
}

static struct timespec linux_timespec(uint64_t ns)
{
    return (struct timespec){.tv_sec = (time_t)(ns / NS_PER_SECOND), .tv_nsec = (long)(ns % NS_PER_SECOND)};
}

bool port_wait_until(uint64_t at)
{
    struct timespec until = linux_timespec(at);

    return !port_stop_asked() && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == 0;
}

struct port_grid port_wait_grid(void)
{
    return (struct port_grid){0, 1};
}

void port_sleep_ns(uint64_t ns)
{
    struct timespec duration = linux_timespec(ns);

    clock_nanosleep(CLOCK_MONOTONIC, 0, &duration, NULL);
}

// Adapts the probe's thread function to the signature that pthread requires.
struct linux_start {
    void (*run)(void *argument);
    void *argument;
};

static void *linux_thread_run(void *start)
{
    struct linux_start own = *(struct linux_start *)start;

    free(start);
    own.run(own.argument);
    return NULL;
}

const char *port_thread_start(void (*run)(void *argument), void *argument)
{
    struct linux_start *start = malloc(sizeof *start);
    pthread_attr_t attributes;

    if (linux_threads_count == THREADS_MAX || !start)
        return "cannot start a thread: no memory, or there are 512";
    *start = (struct linux_start){.run = run, .argument = argument};
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    int error = 0;

    // Retries without locked memory, because the thread's stack may be what the kernel cannot lock.
    do
        error = pthread_create(&linux_threads[linux_threads_count], &attributes, linux_thread_run, start);
    while (error && linux_memory_relent(error));

    pthread_attr_destroy(&attributes);
    linux_threads_count += error == 0;
    if (error) {
        free(start);
        return "cannot start a thread: the limit of processes (ulimit -u; in a container, its limit of pids) or of "
               "memory is reached";
    }
    return NULL;
}

uint64_t port_thread_id(void)
{
    return (uint64_t)syscall(SYS_gettid);
}

void port_threads_wake(void)
{
    for (size_t i = 0; i < linux_threads_count; i++)
        pthread_kill(linux_threads[i], SIGUSR1);
}

static struct port_usage linux_usage(int who, clockid_t clock)
{
    struct rusage usage;
    struct timespec cpu;

    getrusage(who, &usage);
    clock_gettime(clock, &cpu);
    return (struct port_usage){
        .known = true,
        .cpu_ns = (uint64_t)cpu.tv_sec * NS_PER_SECOND + (uint64_t)cpu.tv_nsec,
        .page_faults = (uint64_t)usage.ru_minflt + (uint64_t)usage.ru_majflt,
        .preemptions = (uint64_t)usage.ru_nivcsw,
    };
}

struct port_usage port_thread_usage(void)
{
    return linux_usage(RUSAGE_THREAD, CLOCK_THREAD_CPUTIME_ID);
}

struct port_usage port_process_usage(void)
{
    return linux_usage(RUSAGE_SELF, CLOCK_PROCESS_CPUTIME_ID);
}

// The second number of /proc/self/statm, in pages (proc(5)).
uint64_t port_resident_bytes(void)
{
    char text[128] = {0};
    unsigned long long pages = 0;
    int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);

    if (file < 0)
        return 0;
    if (read(file, text, sizeof text - 1) > 0)
        sscanf(text, "%*u %llu", &pages);
    close(file);
    return pages * (unsigned long long)sysconf(_SC_PAGESIZE);
}

static long linux_futex(struct port_event *event, int operation, uint32_t value, const struct timespec *timeout)
{
    int private = event->across ? 0 : FUTEX_PRIVATE_FLAG;

    return syscall(SYS_futex, (uint32_t *)&event->set, operation | private, value, timeout, NULL, 0);
}

void port_event_set(struct port_event *event)
{
    event->set = 1;
    linux_futex(event, FUTEX_WAKE, 1, NULL);
}

bool port_event_wait(struct port_event *event, uint64_t timeout_ns)
{
    struct timespec timeout = linux_timespec(timeout_ns);

    for (;;) {
        uint32_t set = 1;

        if (__atomic_compare_exchange_n((uint32_t *)&event->set, &set, 0, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            return true;
        long rest = linux_futex(event, FUTEX_WAIT, 0, timeout_ns == PORT_FOREVER ? NULL : &timeout);

        if (rest != 0 && errno == ETIMEDOUT)
            return false;
    }
}

const char *port_host_write(const void *bytes, size_t count)
{
    static char why[128];
    const char *next = bytes;

    while (count > 0) {
        ssize_t written = write(STDOUT_FILENO, next, count);

        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0) {
            snprintf(why, sizeof why, "cannot write the stream to standard output: %s", strerror(errno));
            return why;
        }
        next += written;
        count -= (size_t)written;
    }
    return NULL;
}

// True for a pipe without a reader, or a socket whose other end is closed.
bool port_host_gone(void)
{
    struct pollfd output = {.fd = STDOUT_FILENO};

    return poll(&output, 1, 0) > 0 && (output.revents & (POLLERR | POLLHUP | POLLNVAL));
}

void port_complain(const char *line)
{
    dprintf(STDERR_FILENO, "probe: %s\n", line);
}

_Noreturn void port_exit(int code)
{
    _exit(code);
}
