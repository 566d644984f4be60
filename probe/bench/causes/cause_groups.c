// SPDX-License-Identifier: MIT OR Apache-2.0
// The victim's control group: frozen, or without remaining CPU time. The caller has created the group and removes it.
#define _GNU_SOURCE
#include "cause.h"
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

static const int64_t SPENT = 40 * MILLISECOND; // a group that has not run for this long had used up its share

static void join(const char *group, int process)
{
    char number[16];
    snprintf(number, sizeof number, "%d", process);
    say(group, "cgroup.procs", number);
}

static void join_victim(struct scene *scene)
{
    join(scene->group, scene->victim);
}

static void freeze_with(struct scene *scene, const char *file, const char *frozen, const char *thawed)
{
    if (!scene->given) {
        await_its_sleep(scene);
    }
    int64_t from_ns = clock_now();
    say(scene->group, file, frozen);
    clock_sleep_until(from_ns + scene->held_ns);
    int64_t to_ns = clock_now();
    say(scene->group, file, thawed);
    ledger_add(scene->injected, from_ns, to_ns, to_ns - from_ns);
}

static void freeze(struct scene *scene)
{
    freeze_with(scene, "cgroup.freeze", "1", "0");
}

static void freeze_version_1(struct scene *scene)
{
    freeze_with(scene, "freezer.state", "FROZEN", "THAWED");
}

// Gives both threads together a quota of a tenth of one CPU; the culprit uses most of it.
static void prepare_quota(struct scene *scene)
{
    char path[512];
    snprintf(path, sizeof path, "%s/cpu.max", scene->group);
    if (access(path, F_OK) == 0) {
        say(scene->group, "cpu.max", "10000 100000");
    } else {
        say(scene->group, "cpu.cfs_period_us", "100000");
        say(scene->group, "cpu.cfs_quota_us", "10000");
    }
    struct sched_param parameter = {.sched_priority = 0};
    sched_setscheduler(scene->victim, SCHED_OTHER, &parameter);
    join(scene->group, scene->victim);
    join(scene->group, getpid());
    become("culprit", scene->cpu, 0);
}

// Gives both threads together a real-time share of a fifth of one CPU.
static void prepare_share(struct scene *scene)
{
    say(scene->group, "cpu.rt_period_us", "100000");
    say(scene->group, "cpu.rt_runtime_us", "20000");
    join(scene->group, scene->victim);
    join(scene->group, getpid());
    become("culprit", scene->cpu, BELOW_VICTIM);
}

// Runs until the cgroup's share is used up. Both then wait until it is refilled.
static void spend(struct scene *scene)
{
    int64_t last_ns = clock_now(), read_ns = last_ns;
    while (read_ns - last_ns < SPENT) {
        last_ns = read_ns;
        read_ns = clock_now();
    }
    ledger_add(scene->injected, last_ns, read_ns, read_ns - last_ns);
}

const struct kind kinds_of_groups[] = {
    {.name = "freeze", .prepare = join_victim, .hold = freeze},
    {.name = "freezer", .prepare = join_victim, .hold = freeze_version_1},
    {.name = "quota", .period_ns = 5000000, .between_ns = 1, .prepare = prepare_quota, .hold = spend},
    {.name = "share", .between_ns = 1, .prepare = prepare_share, .hold = spend},
    {0},
};
