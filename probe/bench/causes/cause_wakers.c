// SPDX-License-Identifier: MIT OR Apache-2.0
// Delays of the thread that wakes the victim, and chains of locks through which a culprit inherits a priority above the
// victim's.
#define _GNU_SOURCE
#include "cause.h"
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum { LOCKS = 3, END_OF_CHAIN = 96 };

static pthread_mutex_t locks[LOCKS];
static int64_t awaited_ns; // when the last thread of the chain began to wait
static struct scene *staged;

// Starts a process with this name that ends with its parent. Returns true in the new process.
static int is_begun(const char *name, int cpu, int priority)
{
    if (fork() != 0) {
        return 0;
    }
    end_with_parent();
    become(name, cpu, priority);
    if (priority == 0) {
        setpriority(PRIO_PROCESS, 0, -20);
    }
    return 1;
}

// Waits for each of its own releases and passes it on.
static void send_releases(struct scene *scene, int to)
{
    for (int64_t at_ns = scene->shared->began_ns + scene->period_ns;; at_ns += scene->period_ns) {
        clock_sleep_until(at_ns);
        (void)!write(to, &at_ns, sizeof at_ns);
        at_ns += scene->period_ns * ((clock_now() - at_ns) / scene->period_ns);
    }
}

static void await_releases(struct scene *scene, int from)
{
    int64_t release_ns;
    scene->shared->ready = 1;
    while (read(from, &release_ns, sizeof release_ns) == sizeof release_ns) {
        saw(scene, release_ns, clock_now());
    }
    exit(4);
}

static void pipe_between(int ends[2])
{
    if (pipe2(ends, O_CLOEXEC) < 0) {
        exit(4);
    }
}

// timer -> waker (real-time) -> victim
static void loop_behind_waker(struct scene *scene)
{
    int ends[2];
    pipe_between(ends);
    if (is_begun("waker", scene->other, VICTIM_PRIORITY + 5)) {
        send_releases(scene, ends[1]);
    }
    await_releases(scene, ends[0]);
}

static void filter(int from, int to)
{
    int64_t release_ns;
    while (read(from, &release_ns, sizeof release_ns) == sizeof release_ns) {
        (void)!write(to, &release_ns, sizeof release_ns);
    }
    exit(4);
}

// timer -> sensor (real-time) -> filter (ordinary) -> victim
static void loop_behind_filter(struct scene *scene)
{
    int first[2], second[2];
    become("victim", scene->cpu, END_OF_CHAIN);
    pipe_between(first);
    pipe_between(second);
    if (is_begun("sensor", scene->other, VICTIM_PRIORITY + 5)) {
        send_releases(scene, first[1]);
    }
    if (is_begun("filter", scene->other, 0)) {
        filter(first[0], second[1]);
    }
    await_releases(scene, second[0]);
}

// Spins on the other CPU, where the thread that wakes the victim must run.
static void spin_there(struct scene *scene, int priority)
{
    become("culprit", scene->other, priority);
    int64_t from_ns = clock_now(), used_ns = clock_used();
    clock_spin_until(from_ns + scene->held_ns);
    ledger_add(scene->injected, from_ns, clock_now(), clock_used() - used_ns);
    stand_aside(scene);
}

static void delay_waker(struct scene *scene)
{
    spin_there(scene, ABOVE_VICTIM);
}

static void delay_filter(struct scene *scene)
{
    spin_there(scene, BELOW_VICTIM);
}

static void make_inheriting(pthread_mutex_t *lock)
{
    pthread_mutexattr_t attribute;
    pthread_mutexattr_init(&attribute);
    pthread_mutexattr_setprotocol(&attribute, PTHREAD_PRIO_INHERIT);
    pthread_mutexattr_setpshared(&attribute, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(lock, &attribute);
}

static void prepare_locks(struct scene *scene)
{
    staged = scene;
    for (int each = 0; each < LOCKS; each++) {
        make_inheriting(&locks[each]);
    }
    setpriority(PRIO_PROCESS, 0, -20);
}

// Holds the first lock from the start. Its own priority is low.
static void *hold_first(void *unused)
{
    (void)unused;
    become("culprit", staged->cpu, 0);
    pthread_mutex_lock(&locks[0]);
    while (awaited_ns == 0 || clock_now() < awaited_ns + staged->held_ns) {
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
    }
    ledger_add(staged->injected, awaited_ns, clock_now(), staged->held_ns);
    pthread_mutex_unlock(&locks[0]);
    return NULL;
}

// Holds one lock and waits for the previous one.
static void *hold_next(void *which)
{
    int lock = (int)(intptr_t)which;
    become("link", staged->other, 0);
    pthread_mutex_lock(&locks[lock]);
    pthread_mutex_lock(&locks[lock - 1]);
    pthread_mutex_unlock(&locks[lock - 1]);
    pthread_mutex_unlock(&locks[lock]);
    return NULL;
}

// A thread above the victim. It waits for the last lock, so all holders inherit its priority.
static void *ask_last(void *unused)
{
    (void)unused;
    become("lender", staged->other, ABOVE_VICTIM);
    awaited_ns = clock_now();
    pthread_mutex_lock(&locks[LOCKS - 1]);
    pthread_mutex_unlock(&locks[LOCKS - 1]);
    return NULL;
}

static void chain_locks(struct scene *scene)
{
    pthread_t threads[LOCKS + 1];
    awaited_ns = 0;
    pthread_create(&threads[0], NULL, hold_first, NULL);
    clock_sleep_until(clock_now() + 4 * MILLISECOND);
    for (int each = 1; each < LOCKS; each++) {
        pthread_create(&threads[each], NULL, hold_next, (void *)(intptr_t)each);
        clock_sleep_until(clock_now() + 4 * MILLISECOND);
    }
    pthread_create(&threads[LOCKS], NULL, ask_last, NULL);
    for (int each = 0; each <= LOCKS; each++) {
        pthread_join(threads[each], NULL);
    }
    stand_aside(scene);
}

const struct kind kinds_of_wakers[] = {
    {.name = "waker", .period_ns = 2000000, .loop = loop_behind_waker, .hold = delay_waker},
    {.name = "ordinary", .period_ns = 5000000, .loop = loop_behind_filter, .hold = delay_filter},
    {.name = "chain", .prepare = prepare_locks, .hold = chain_locks},
    {0},
};
