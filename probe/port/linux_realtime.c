// SPDX-License-Identifier: MIT OR Apache-2.0
// Linux: real-time priority, idle states, and the guards that keep the machine usable.
//
// Each refusal is one line: what the kernel refused, and how to fix it. No setting remains after the process: the idle
// request is an open file, and priorities and limits belong to the process.
#define _GNU_SOURCE
#include "port.h"

#include "../plan.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PREFAULT_BYTES (64u * 1024u) // touched part of the stack: far more than a measured loop uses
#define GUARD_SOFT_US 2000000u       // a real-time thread that has run this long without waiting is out of control
#define GUARD_HARD_US 4000000u       // the thread is killed if the soft guard has failed

// Lock-free, so that signal handlers may set them.
static atomic_bool linux_stop;
static atomic_bool linux_guard;

bool port_stop_asked(void)
{
    return linux_stop;
}

void port_stop(void)
{
    linux_stop = true;
}

bool port_guard_tripped(void)
{
    return linux_guard;
}

static void linux_on_stop(int number)
{
    (void)number;
    linux_stop = true;
}

// The handler does nothing: the signal itself ends the system call in which a thread waits.
static void linux_on_wake(int number)
{
    (void)number;
}

// This handler runs in the runaway thread itself, because the kernel prefers that thread for this signal. It puts the
// thread back on the ordinary scheduler.
static void linux_on_runaway(int number)
{
    struct sched_param ordinary = {0};

    (void)number;
    sched_setscheduler(0, SCHED_OTHER, &ordinary);
    linux_guard = true;
}

static void linux_catch(int number, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler};

    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

void port_begin(const char *name)
{
    char comm[16]; // the length that the kernel stores

    snprintf(comm, sizeof comm, "bw-%s", name);
    prctl(PR_SET_NAME, comm);
    linux_catch(SIGINT, linux_on_stop);
    linux_catch(SIGTERM, linux_on_stop);
    linux_catch(SIGHUP, linux_on_stop);
    linux_catch(SIGUSR1, linux_on_wake);
    linux_catch(SIGPIPE, SIG_IGN);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

void port_guard_arm(void)
{
    struct rlimit guard = {.rlim_cur = GUARD_SOFT_US, .rlim_max = GUARD_HARD_US};

    linux_catch(SIGXCPU, linux_on_runaway);
    setrlimit(RLIMIT_RTTIME, &guard);
}

// The kernel applies the request as long as the file is open (Documentation/power/pm_qos_interface.rst).
const char *port_idle_hold(void)
{
    const int32_t latency_us = 0;
    int file = open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC);

    if (file >= 0 && write(file, &latency_us, sizeof latency_us) == sizeof latency_us)
        return NULL;
    return "cannot write /dev/cpu_dma_latency, so idle states stay on: run as root, or use --idle as-is; "
           "--best-effort continues without";
}

static const char *linux_pin(int cpu)
{
    static char why[128];
    cpu_set_t only;

    CPU_ZERO(&only);
    CPU_SET((size_t)cpu, &only);
    if (sched_setaffinity(0, sizeof only, &only) == 0)
        return NULL;
    snprintf(why, sizeof why, "CPU %d cannot be used: it is absent, offline or outside this process's cpuset", cpu);
    return why;
}

const char *port_thread_realtime(unsigned priority, enum port_policy policy)
{
    int highest = sched_get_priority_max(SCHED_FIFO);
    struct sched_param chosen = {.sched_priority = (int)priority < highest ? (int)priority : highest};

    return sched_setscheduler(0, policy == PORT_FIFO ? SCHED_FIFO : SCHED_RR, &chosen) == 0 ? NULL
                                                                                            : PORT_REALTIME_REFUSED;
}

// As defined in sched_setattr(2); the C library of some systems lacks it.
struct linux_sched_attributes {
    uint32_t size;
    uint32_t policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime_ns;
    uint64_t deadline_ns;
    uint64_t period_ns;
};

#define LINUX_SCHED_DEADLINE 6u

const char *port_thread_deadline(uint64_t runtime_ns, uint64_t deadline_ns, uint64_t period_ns)
{
    static char why[320];
    struct linux_sched_attributes attributes = {
        .size = sizeof attributes,
        .policy = LINUX_SCHED_DEADLINE,
        .runtime_ns = runtime_ns,
        .deadline_ns = deadline_ns,
        .period_ns = period_ns,
    };

    if (syscall(SYS_sched_setattr, 0, &attributes, 0) == 0)
        return NULL;
    snprintf(
        why, sizeof why,
        "SCHED_DEADLINE with %llu ns in each %llu ns is refused (%s): run as root, from a shell that may use every "
        "CPU, with a period from 100 us to 4 s (sched_deadline_period_min_us and _max_us); "
        "--best-effort continues without",
        (unsigned long long)runtime_ns, (unsigned long long)period_ns, strerror(errno));
    return why;
}

// Touches every page that the stack may need before the first measured wait.
static void linux_prefault_stack(void)
{
    volatile char pages[PREFAULT_BYTES];

    for (size_t i = 0; i < sizeof pages; i += 1024)
        pages[i] = 0;
}

static void linux_choose_signals(void)
{
    sigset_t blocked;

    sigfillset(&blocked);
    sigdelset(&blocked, SIGUSR1);
    sigdelset(&blocked, SIGXCPU);
    pthread_sigmask(SIG_SETMASK, &blocked, NULL);
}

const char *port_thread_settle(int cpu)
{
    linux_choose_signals();
    prctl(PR_SET_TIMERSLACK, 1); // applies to ordinary threads only; a real-time thread has no slack
    linux_prefault_stack();
    return cpu == PROBE_CPU_ANY ? NULL : linux_pin(cpu);
}

const char *port_thread_idle(void)
{
    struct sched_param idle = {0};

    return sched_setscheduler(0, SCHED_IDLE, &idle) == 0 ? NULL : "SCHED_IDLE is refused: the kernel lacks it";
}

void port_thread_avoid(const int16_t *cpus, uint32_t count)
{
    cpu_set_t others;

    if (sched_getaffinity(0, sizeof others, &others) != 0)
        return;
    for (uint32_t i = 0; i < count; i++) {
        if (cpus[i] != PROBE_CPU_ANY)
            CPU_CLR((size_t)cpus[i], &others);
    }
    if (CPU_COUNT(&others) > 0)
        sched_setaffinity(0, sizeof others, &others);
}
