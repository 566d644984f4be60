// SPDX-License-Identifier: MIT OR Apache-2.0
// A job: its sections one after the other, then the rest of its computation.
#include "task.h"

static uint64_t job_gives_up_at(const struct job *job)
{
    const struct task *task = job->task;
    uint32_t next = (uint32_t)(job - task->jobs) + 1;

    return task->schedule->set.head.overrun == SET_ABORT && next < task->of->releases ? task_arrival(task, next)
                                                                                      : UINT64_MAX;
}

static bool job_hold(const struct task *task, const struct set_section *section, const struct work *work)
{
    struct port_lock *lock = &task->schedule->locks[section->lock];

    if (!port_lock_take(lock)) {
        schedule_fail(task->schedule,
                      "a lock was refused to a job: a priority ceiling needs a thread of real-time priority");
        return false;
    }
    bool whole = work_do(work, section->length_ns);

    port_lock_give(lock);
    return whole;
}

static bool job_compute(const struct job *job)
{
    const struct task *task = job->task;
    const struct schedule *schedule = task->schedule;
    const struct work work = {
        .rate = schedule->set.head.work == SET_WORK_TURNS ? &schedule->rate : NULL,
        .end_at = &schedule->end_at,
        .give_up_at = job_gives_up_at(job),
    };
    uint64_t left_ns = task->of->computation_ns;

    for (uint32_t i = 0; i < task->of->sections; i++) {
        if (!job_hold(task, &task->sections[i], &work))
            return false;
        left_ns -= task->sections[i].length_ns;
    }
    return work_do(&work, left_ns);
}

void job_run(struct job *job, uint64_t release_at)
{
    job->start_at = port_clock_read();
    job->release_at = release_at ? release_at : job->start_at;
    bool whole = job_compute(job);

    job->finish_at = port_clock_read();
    if (whole)
        job->state = JOB_DONE;
    else
        job->state = job->finish_at >= job->task->schedule->end_at || job->task->schedule->failure ? JOB_UNFINISHED
                                                                                                   : JOB_ABORTED;
}

void job_skip(struct job *job)
{
    job->state = JOB_SKIPPED;
}
