// SPDX-License-Identifier: MIT OR Apache-2.0
// A thread that runs all jobs of a task one after the other. It waits for their arrivals itself, or a generator
// releases it.
//
// Arrivals are absolute, so a late job cannot hide later ones. Jobs that arrived while the job before them ran are left
// out under `skip`; under `queue` and `abort` they run next.
#include "task.h"

// Waits until a job may begin. Sets *release_at to the job's release, or to 0 if the job counts from its start. False
// if there will be no more jobs.
typedef bool wait_for(struct task *task, uint32_t which, uint64_t *release_at);

static bool wait_for_arrival(struct task *task, uint32_t which, uint64_t *release_at)
{
    *release_at = 0;
    return port_wait_until(task_arrival(task, which)) && !task_is_over(task);
}

// The thread announces that it waits and then checks once more. The generator hands over the job and then checks
// whether the thread waits. So at least one of the two notices the other. After a superfluous wakeup, the next wait
// only checks once more.
static bool wait_for_generator(struct task *task, uint32_t which, uint64_t *release_at)
{
    while (task->handed <= which) {
        if (task_is_over(task))
            return false;
        task->idle = true;
        if (task->handed <= which)
            port_event_wait(&task->go, PORT_FOREVER);
        task->idle = false;
    }
    *release_at = task->jobs[which].release_at;
    return true;
}

static void series_jobs(struct task *task, wait_for *wait)
{
    const bool skips = task->schedule->set.head.overrun == SET_SKIP;
    uint64_t free_at = 0; // when the previous job ended
    uint32_t which = 0;

    for (; which < task->of->releases; which++) {
        struct job *job = &task->jobs[which];
        uint64_t release_at;

        if (skips && task_arrival(task, which) < free_at) {
            job_skip(job);
            continue;
        }
        if (!wait(task, which, &release_at))
            break;
        job_run(job, release_at);
        free_at = job->finish_at;
    }
    task_close(task, which);
}

static void series_begin(struct task *task, wait_for *wait)
{
    task->refusal = task_settle(task);
    task->id = port_thread_id();
    bool granted = !task->refusal || task->schedule->set.head.flags & SET_BEST_EFFORT;

    task->settled = true;
    uint64_t before_ns = port_thread_cpu_ns();

    if (granted)
        series_jobs(task, wait);
    task->used_ns = before_ns == UINT64_MAX ? UINT64_MAX : port_thread_cpu_ns() - before_ns;
    task->ended = true;
}

void series_run(void *task)
{
    series_begin(task, wait_for_arrival);
}

void pool_run(void *task)
{
    series_begin(task, wait_for_generator);
}
