// SPDX-License-Identifier: MIT OR Apache-2.0
// Linux: locks with their protocols, short-lived threads, a thread's CPU time, and data from the host.
#define _GNU_SOURCE
#include "tasks.h"

#include "../plan.h"
#include "linux_memory.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_SECOND 1000000000ull
#define STACK_BYTES (64u * 1024u) // for a thread that computes and ends

_Static_assert(sizeof(pthread_mutex_t) <= sizeof(struct port_lock), "a lock holds the system's");

size_t port_host_read(void *bytes, size_t count)
{
    size_t taken = 0;

    while (taken < count) {
        ssize_t read_bytes = read(STDIN_FILENO, (char *)bytes + taken, count - taken);

        if (read_bytes < 0 && errno == EINTR)
            continue;
        if (read_bytes <= 0)
            break;
        taken += (size_t)read_bytes;
    }
    return taken;
}

uint64_t port_thread_cpu_ns(void)
{
    struct timespec used;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return (uint64_t)used.tv_sec * NS_PER_SECOND + (uint64_t)used.tv_nsec;
}

static void linux_place(pthread_attr_t *attributes, const struct port_place *place)
{
    static const int POLICIES[] = {
        [PORT_CLASS_FIFO] = SCHED_FIFO, [PORT_CLASS_ROUND_ROBIN] = SCHED_RR, [PORT_CLASS_ORDINARY] = SCHED_OTHER};
    struct sched_param chosen = {.sched_priority = (int)place->priority};
    cpu_set_t only;

    pthread_attr_init(attributes);
    pthread_attr_setstacksize(attributes, STACK_BYTES);
    pthread_attr_setdetachstate(attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setinheritsched(attributes, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedpolicy(attributes, POLICIES[place->class]);
    pthread_attr_setschedparam(attributes, &chosen);
    if (place->cpu == PROBE_CPU_ANY)
        return;
    CPU_ZERO(&only);
    CPU_SET((size_t)place->cpu, &only);
    pthread_attr_setaffinity_np(attributes, sizeof only, &only);
}

// Adapts the probe's thread function to the signature that pthread requires, which has room for only one pointer.
struct linux_moment {
    void (*run)(void *argument);
    void *argument;
};

static void *linux_moment_run(void *moment)
{
    struct linux_moment own = *(struct linux_moment *)moment;

    __atomic_store_n(&((struct linux_moment *)moment)->run, NULL, __ATOMIC_RELEASE); // frees the moment's place
    own.run(own.argument);
    return NULL;
}

#define MOMENTS 4096u // threads that have been started and have not run yet

static struct linux_moment *linux_moment_claim(void (*run)(void *argument), void *argument)
{
    static struct linux_moment moments[MOMENTS];
    static _Atomic uint32_t next;

    for (uint32_t tries = 0; tries < MOMENTS; tries++) {
        struct linux_moment *moment = &moments[next++ % MOMENTS];
        void (*nobody)(void *) = NULL;

        if (__atomic_compare_exchange_n(&moment->run, &nobody, run, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
            moment->argument = argument;
            return moment;
        }
    }
    return NULL;
}

static const char *linux_thread_refusal(int error)
{
    switch (error) {
    case EPERM:
        return "real-time priority is refused to a thread for an event: run as root or with sudo";
    case EINVAL:
        return "a thread for an event cannot have its CPU or priority: this process may not use them";
    default:
        return "cannot create a thread for an event: the limit of processes (ulimit -u, or pids.max of its control "
               "group) or of locked memory (ulimit -l) is reached";
    }
}

const char *port_thread_once(void (*run)(void *argument), void *argument, const struct port_place *place)
{
    struct linux_moment *moment = linux_moment_claim(run, argument);
    pthread_attr_t attributes;
    pthread_t thread;

    if (!moment)
        return "too many threads wait for their first instruction: the set creates them faster than they run";
    linux_place(&attributes, place);
    int error = 0;

    do
        error = pthread_create(&thread, &attributes, linux_moment_run, moment);
    while (error && linux_memory_relent(error));

    pthread_attr_destroy(&attributes);
    if (!error)
        return NULL;
    moment->run = NULL;
    return linux_thread_refusal(error);
}

static pthread_mutex_t *linux_mutex(struct port_lock *lock)
{
    return (pthread_mutex_t *)(void *)lock->opaque;
}

const char *port_lock_make(struct port_lock *lock, enum port_protocol protocol, unsigned ceiling)
{
    static const int PROTOCOLS[] = {[PORT_PLAIN] = PTHREAD_PRIO_NONE,
                                    [PORT_INHERITANCE] = PTHREAD_PRIO_INHERIT,
                                    [PORT_CEILING] = PTHREAD_PRIO_PROTECT};
    static char why[128];
    pthread_mutexattr_t attributes;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setprotocol(&attributes, PROTOCOLS[protocol]);
    if (protocol == PORT_CEILING)
        pthread_mutexattr_setprioceiling(&attributes, (int)ceiling);
    int error = pthread_mutex_init(linux_mutex(lock), &attributes);

    pthread_mutexattr_destroy(&attributes);
    if (!error)
        return NULL;
    snprintf(why, sizeof why, "the system refuses a lock with the set's protocol: %s", strerror(error));
    return why;
}

// The system refuses a ceiling lock to a thread without real-time priority, because it cannot raise that thread.
bool port_lock_take(struct port_lock *lock)
{
    return pthread_mutex_lock(linux_mutex(lock)) == 0;
}

void port_lock_give(struct port_lock *lock)
{
    pthread_mutex_unlock(linux_mutex(lock));
}
