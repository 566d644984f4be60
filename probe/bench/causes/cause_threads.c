// SPDX-License-Identifier: MIT OR Apache-2.0
// Threads that take the CPU from the victim.
#define _GNU_SOURCE
#include "cause.h"
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LATER = 30 }; // in periods: when another process begins

static const int64_t AHEAD = 300 * 1000; // time before the release
static const int64_t CHILD = 50 * 1000;

static void row(struct scene *scene, int64_t from_ns, int64_t used_before_ns)
{
    ledger_add(scene->injected, from_ns, clock_now(), clock_used() - used_before_ns);
}

static void spin_above(struct scene *scene)
{
    become("culprit", scene->cpu, ABOVE_VICTIM);
    int64_t from_ns = clock_now(), used_ns = clock_used();
    clock_spin_until(from_ns + scene->held_ns);
    row(scene, from_ns, used_ns);
    stand_aside(scene);
}

static void set_priority(int thread, int priority)
{
    struct sched_param parameter = {.sched_priority = priority};
    sched_setscheduler(thread, SCHED_FIFO, &parameter);
}

// The culprit has a higher priority than the victim, also after the priorities of both are lowered.
static void lower_victim(struct scene *scene)
{
    int64_t release_ns = next_release_ns(scene);
    clock_sleep_until(release_ns - AHEAD);
    become("culprit", scene->cpu, ABOVE_VICTIM);
    int64_t from_ns = clock_now(), used_ns = clock_used();
    clock_spin_until(release_ns + MILLISECOND);
    set_priority(scene->victim, BELOW_VICTIM);
    set_priority(0, BELOW_VICTIM + 10);
    clock_spin_until(from_ns + scene->held_ns);
    row(scene, from_ns, used_ns);
    set_priority(scene->victim, VICTIM_PRIORITY);
    stand_aside(scene);
}

// Each child uses its part of the time.
static void fork_much(struct scene *scene)
{
    clock_sleep_until(next_release_ns(scene) - AHEAD);
    become("culprit", scene->cpu, ABOVE_VICTIM);
    int64_t from_ns = clock_now();
    while (clock_now() < from_ns + scene->held_ns) {
        int child = fork();
        if (child == 0) {
            clock_spin_until(clock_now() + CHILD);
            _exit(0);
        }
        waitpid(child, NULL, 0);
    }
    ledger_add(scene->injected, from_ns, clock_now(), clock_now() - from_ns);
    stand_aside(scene);
}

// A child called culprit that runs on the other CPU until `until_ns`.
static int spin_on_other(const struct scene *scene, int64_t from_ns, int64_t until_ns)
{
    int child = fork();
    if (child == 0) {
        end_with_parent();
        become("culprit", scene->other, ABOVE_VICTIM);
        clock_sleep_until(from_ns);
        clock_spin_until(until_ns);
        _exit(0);
    }
    return child;
}

// The victim waits for its CPU and is moved to another one meanwhile: to an idle CPU, or (`is_awaited`) to one whose thread makes
// it wait further.
static void move_victim(struct scene *scene, int is_awaited)
{
    int64_t release_ns = next_release_ns(scene) + LATER * scene->period_ns, moved_ns = release_ns + scene->held_ns / 2;
    int64_t until_ns = is_awaited ? release_ns + scene->held_ns : moved_ns;
    int child = is_awaited ? spin_on_other(scene, release_ns - AHEAD, until_ns) : 0;
    become("culprit", scene->cpu, ABOVE_VICTIM); // on the child's CPU this process would not run
    clock_sleep_until(release_ns - AHEAD);
    int64_t from_ns = clock_now();
    clock_spin_until(moved_ns);
    allow(scene->victim, scene->other);
    ledger_add(scene->injected, from_ns, until_ns, until_ns - from_ns);
    clock_spin_until(release_ns + scene->held_ns);
    if (child > 0) {
        waitpid(child, NULL, 0);
    }
    stand_aside(scene);
    allow(scene->victim, scene->cpu);
}

static void move_to_idle(struct scene *scene)
{
    move_victim(scene, 0);
}

static void move_to_busy(struct scene *scene)
{
    move_victim(scene, 1);
}

static void allow_all(struct scene *scene)
{
    allow(scene->victim, -1);
}

// Both CPUs are busy. Then the thread of one CPU moves to the other, and the victim moves to the CPU that became free.
static void move_culprit(struct scene *scene)
{
    int64_t release_ns = next_release_ns(scene) + LATER * scene->period_ns, moved_ns = release_ns + scene->held_ns / 2;
    int child = fork();
    if (child == 0) {
        end_with_parent();
        become("culprit", scene->other, ABOVE_VICTIM);
        clock_sleep_until(release_ns - AHEAD);
        clock_spin_until(moved_ns);
        allow(0, scene->cpu);
        _exit(0);
    }
    become("culprit", scene->cpu, ABOVE_VICTIM); // on the child's CPU this process would not run
    clock_sleep_until(release_ns - AHEAD);
    int64_t from_ns = clock_now();
    clock_spin_until(release_ns + scene->held_ns);
    ledger_add(scene->injected, from_ns, moved_ns, moved_ns - from_ns);
    become("culprit", scene->other, 0);
    waitpid(child, NULL, 0);
}

static void become_ordinary(struct scene *scene)
{
    struct sched_param parameter = {.sched_priority = 0};
    sched_setscheduler(scene->victim, SCHED_OTHER, &parameter);
}

// An ordinary thread to which the scheduler gives nearly all CPU time.
static void burst_nice(struct scene *scene)
{
    setpriority(PRIO_PROCESS, 0, -20);
    become("culprit", scene->cpu, 0);
    int64_t from_ns = clock_now(), used_ns = clock_used();
    clock_spin_until(from_ns + 2 * scene->held_ns);
    row(scene, from_ns, used_ns);
    stand_aside(scene);
}

// Nobody delays the victim on purpose.
static void leave_alone(struct scene *scene)
{
    (void)scene;
}

// The victim is moved between CPUs, but nobody delays it on purpose.
static void move_about(struct scene *scene)
{
    allow(scene->victim, scene->other);
    clock_sleep_until(clock_now() + 50 * MILLISECOND);
    allow(scene->victim, scene->cpu);
}

const struct kind kinds_of_threads[] = {
    {.name = "none", .hold = leave_alone},
    {.name = "none-ordinary", .prepare = become_ordinary, .hold = leave_alone},
    {.name = "roam", .between_ns = 30000000, .hold = move_about},
    {.name = "above", .hold = spin_above},
    {.name = "lowered", .hold = lower_victim},
    {.name = "forks", .hold = fork_much},
    {.name = "moved", .hold = move_to_idle},
    {.name = "moved-on", .hold = move_to_busy},
    {.name = "unpinned", .prepare = allow_all, .hold = move_culprit},
    {.name = "nice", .period_ns = 5000000, .prepare = become_ordinary, .hold = burst_nice},
    {0},
};
