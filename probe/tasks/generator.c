// SPDX-License-Identifier: MIT OR Apache-2.0
// For each CPU, a thread that releases the jobs of the CPU's tasks. Like an interrupt, this thread has a higher
// priority than all tasks.
#include "task.h"

#include <stdatomic.h>

static bool generator_has(const struct generator *generator, const struct task *task)
{
    return task->of->cpu == (uint32_t)generator->cpu;
}

// The next arrival of a task without further releases.
#define NEVER UINT64_MAX

// The task with the earliest next arrival, the first of several; NULL if all are released.
static struct task *generator_next(const struct generator *generator)
{
    struct task *earliest = NULL;

    for (uint32_t i = 0; i < generator->tasks->schedule->set.head.tasks; i++) {
        struct task *task = &generator->tasks[i];

        if (generator_has(generator, task) && task->arrival_at < (earliest ? earliest->arrival_at : NEVER))
            earliest = task;
    }
    return earliest;
}

// Converts each release once, because finding the next one only compares them.
static void generator_look_ahead(struct task *task, uint32_t which)
{
    task->arrival_at = which < task->of->releases ? task_arrival(task, which) : NEVER;
}

static void event_run(void *given)
{
    struct job *job = given;

    job_run(job, job->release_at);
    job->task->running--;
}

static void generator_create(struct task *task, struct job *job)
{
    static const enum port_class CLASSES[] = {[SET_FIFO] = PORT_CLASS_FIFO,
                                              [SET_ROUND_ROBIN] = PORT_CLASS_ROUND_ROBIN,
                                              [SET_DEADLINE] = PORT_CLASS_ORDINARY, // refused when a set is read
                                              [SET_ORDINARY] = PORT_CLASS_ORDINARY};
    const struct port_place place = {
        .cpu = (int)task->of->cpu, .class = CLASSES[task->of->policy], .priority = task->of->priority};

    if (task->schedule->set.head.overrun == SET_SKIP && task->running > 0) {
        job_skip(job);
        return;
    }
    task->running++;
    const char *why = port_thread_once(event_run, job, &place);

    if (!why)
        return;
    task->running--;
    job->state = JOB_UNFINISHED;
    task->schedule->threadless++;
    schedule_fail(task->schedule, why);
}

// Wakes the task's thread only if it waits, and only once. A thread that computes finds the job when the previous one is done.
static void generator_wake(struct task *task)
{
    if (atomic_exchange(&task->idle, false))
        port_event_set(&task->go);
}

static void generator_release(struct task *task, uint64_t now)
{
    struct job *job = &task->jobs[task->handed];

    job->release_at = now;
    generator_look_ahead(task, ++task->handed);
    if (task->schedule->set.head.organisation == SET_THREAD_PER_EVENT)
        generator_create(task, job);
    else
        generator_wake(task);
}

// Releases all due jobs without a wait in between, because each wait would be a system call.
static void generator_jobs(const struct generator *generator)
{
    struct task *task;

    while ((task = generator_next(generator)) != NULL) {
        uint64_t now = port_clock_read();

        if (now < task->arrival_at) {
            if (!port_wait_until(task->arrival_at))
                return;
            now = port_clock_read();
        }
        if (now >= task->schedule->end_at)
            return;
        generator_release(task, now);
    }
}

static void generator_open(const struct generator *generator)
{
    for (uint32_t i = 0; i < generator->tasks->schedule->set.head.tasks; i++) {
        if (generator_has(generator, &generator->tasks[i]))
            generator_look_ahead(&generator->tasks[i], 0);
    }
}

// Closes the tasks whose threads are created per job, because such a short-lived thread cannot close its task. Wakes
// the threads that wait for a job, because no further job will come.
static void generator_close(struct generator *generator)
{
    for (uint32_t i = 0; i < generator->tasks->schedule->set.head.tasks; i++) {
        struct task *task = &generator->tasks[i];

        if (!generator_has(generator, task))
            continue;
        if (task->schedule->set.head.organisation == SET_THREAD_PER_EVENT)
            task_close(task, task->handed);
        else
            port_event_set(&task->go);
    }
}

void generator_run(void *given)
{
    struct generator *generator = given;
    const struct set_head *head = &generator->tasks->schedule->set.head;

    if (head->generator_priority)
        generator->refusal = port_thread_realtime(head->generator_priority, PORT_FIFO);
    const char *moved = port_thread_settle(generator->cpu);

    generator->refusal = generator->refusal ? generator->refusal : moved;
    generator->refusal = generator->refusal ? generator->refusal : schedule_late(generator->tasks->schedule);
    generator->id = port_thread_id();
    bool granted = !generator->refusal || head->flags & SET_BEST_EFFORT;

    generator_open(generator);
    generator->settled = true;
    if (granted)
        generator_jobs(generator);
    generator_close(generator);
    generator->ended = true;
}
