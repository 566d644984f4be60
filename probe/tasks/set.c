// SPDX-License-Identifier: MIT OR Apache-2.0
// Reads the set and checks every number that other code relies on.
#include "set.h"

#include "../plan.h"
#include "../port/tasks.h"

#include <stdbool.h>

#define PRIORITY_MAX 99u

static bool set_take(void *bytes, size_t count)
{
    return port_host_read(bytes, count) == count;
}

// Memory for `count` parts of `bytes` each, filled with what the host sends; NULL if memory or data are missing.
static void *set_part(uint32_t count, size_t bytes)
{
    void *part = port_memory_map((size_t)count * bytes + 1); // + 1: a part of 0 bytes has an address too

    return part && set_take(part, (size_t)count * bytes) ? part : NULL;
}

static const char *set_check_head(const struct set_head *head)
{
    if (head->magic != SET_MAGIC)
        return "the set of tasks does not begin with TASKSET1: wire/SET.md says what is expected on standard input";
    if (head->tasks - 1 >= SET_TASKS_MAX || head->locks > SET_LOCKS_MAX || head->sections > SET_SECTIONS_MAX
        || head->releases - 1 >= SET_RELEASES_MAX)
        return "the set has no tasks or releases, or too many tasks, locks, sections or releases";
    if (head->overrun > SET_ABORT || head->organisation > SET_THREAD_PER_EVENT || head->work > SET_WORK_CPU_TIME
        || head->flags > (SET_IDLE_OFF | SET_BEST_EFFORT) || head->generator_priority > PRIORITY_MAX || head->reserved)
        return "the set's head has an invalid number";
    return head->end_ns > SET_NS_MAX ? "the set's end is too late" : NULL;
}

static bool set_priority_fits(const struct set_task *task)
{
    bool has_one = task->policy == SET_FIFO || task->policy == SET_ROUND_ROBIN;

    return task->policy <= SET_ORDINARY && (has_one ? task->priority - 1 < PRIORITY_MAX : task->priority == 0);
}

static const char *set_check_task(const struct set_head *head, const struct set_task *task)
{
    if (task->name[0] == '\0' || task->name[SET_NAME_BYTES - 1] != '\0')
        return "a task has no name, or one that is too long";
    if (!set_priority_fits(task) || task->reserved)
        return "a task's policy and priority do not match";
    if (task->cpu != SET_CPU_ANY && task->cpu > INT16_MAX)
        return "a task's CPU number is invalid";
    if (task->policy == SET_DEADLINE && head->organisation != SET_THREAD_PER_SERIES)
        return "policy deadline needs organisation thread-per-series: no thread with that policy can be made for each "
               "event";
    if (task->computation_ns == 0 || task->computation_ns > SET_NS_MAX || task->deadline_ns > SET_NS_MAX
        || task->runtime_ns > SET_NS_MAX || task->period_ns > SET_NS_MAX)
        return "a task's time is 0 or too long";
    return NULL;
}

static const char *set_check_releases(const struct set_release *releases, uint32_t count, uint64_t end_ns)
{
    uint64_t nominal_ns = 0;
    uint64_t arrival_ns = 0;

    for (uint32_t i = 0; i < count; i++) {
        const struct set_release *release = &releases[i];

        if (release->nominal_ns < nominal_ns || release->arrival_ns < arrival_ns
            || release->arrival_ns < release->nominal_ns)
            return "a task's releases or arrivals are not in order of time";
        if (release->arrival_ns >= end_ns)
            return "a task has an arrival at or after the end of the schedule";
        nominal_ns = release->nominal_ns;
        arrival_ns = release->arrival_ns;
    }
    return NULL;
}

// Checks that the sections of a task are not longer than its computation, and that their locks exist.
static const char *set_check_sections(const struct set *set, const struct set_task *task, uint32_t first)
{
    uint64_t left_ns = task->computation_ns;

    for (uint32_t i = first; i < first + task->sections; i++) {
        const struct set_section *section = &set->sections[i];

        if (section->lock >= set->head.locks || section->reserved || section->length_ns - 1 >= left_ns)
            return "a task's section names no lock of the set, or the sections are longer than its computation";
        left_ns -= section->length_ns;
    }
    return NULL;
}

static const char *set_check_tasks(const struct set *set)
{
    uint32_t sections = 0;
    uint32_t releases = 0;
    const char *why = NULL;

    for (uint32_t i = 0; i < set->head.tasks && !why; i++) {
        const struct set_task *task = &set->tasks[i];

        if (task->sections > set->head.sections - sections || task->releases > set->head.releases - releases)
            return "the tasks of the set have more sections or releases than it holds";
        why = set_check_task(&set->head, task);
        why = why ? why : set_check_sections(set, task, sections);
        why = why ? why : set_check_releases(set->releases + releases, task->releases, set->head.end_ns);
        sections += task->sections;
        releases += task->releases;
    }
    if (!why && (sections != set->head.sections || releases != set->head.releases))
        return "the set has sections or releases that belong to no task";
    return why;
}

static const char *set_check_locks(const struct set *set)
{
    for (uint32_t i = 0; i < set->head.locks; i++) {
        const struct set_lock *lock = &set->locks[i];

        if (lock->protocol > SET_CEILING || lock->ceiling > PRIORITY_MAX)
            return "a lock of the set has no protocol, or no priority";
    }
    return NULL;
}

const char *set_read(struct set *set)
{
    const char *why = set_take(&set->head, sizeof set->head) ? set_check_head(&set->head)
                                                             : "there is no set of tasks "
                                                               "on standard input";

    if (why)
        return why;
    set->tasks = set_part(set->head.tasks, sizeof *set->tasks);
    set->locks = set->tasks ? set_part(set->head.locks, sizeof *set->locks) : NULL;
    set->sections = set->locks ? set_part(set->head.sections, sizeof *set->sections) : NULL;
    set->releases = set->sections ? set_part(set->head.releases, sizeof *set->releases) : NULL;
    if (!set->releases)
        return "the set of tasks ends too early, or there is no memory for it";
    why = set_check_tasks(set);
    return why ? why : set_check_locks(set);
}
