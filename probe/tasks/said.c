// SPDX-License-Identifier: MIT OR Apache-2.0
// Writes every release that was due as a sample, or as a loss with its reason.
#include "said.h"

#include "../../wire/wire.h"
#include "../counts.h"
#include "../emit.h"

#include <stdio.h>

#define POINTS 4u

void said_declare(const struct schedule *schedule, const struct task *tasks)
{
    static const char *const POINT[POINTS] = {"nominal", "release", "start", "finish"};

    for (uint32_t i = 0; i < schedule->set.head.tasks; i++) {
        const struct wire_series head = {
            .series = i,
            .points = POINTS,
            .deadline = counts_of_ns(tasks[i].of->deadline_ns),
            .cpu = WIRE_NONE,
            .fields = 1,
        };
        char field[SET_NAME_BYTES + sizeof "task="];
        const char *fields[] = {field};

        snprintf(field, sizeof field, "task=%s", tasks[i].of->name);
        emit_series(&head, "job", POINT, fields);
    }
}

static uint32_t said_reason(uint32_t state)
{
    switch (state) {
    case JOB_SKIPPED:
        return WIRE_LOSS_OVERRUN;
    case JOB_ABORTED:
        return WIRE_LOSS_ABORTED;
    default:
        return WIRE_LOSS_STOPPED;
    }
}

static void said_job(struct task *task, uint32_t number, uint32_t which)
{
    const struct job *job = &task->jobs[which];
    uint64_t nominal_at = task->schedule->start_at + counts_of_ns(task->releases[which].nominal_ns);
    const uint64_t at[POINTS] = {nominal_at, job->release_at, job->start_at, job->finish_at};

    if (job->state != JOB_DONE) {
        emit_lost(number, said_reason(job->state), which, 1);
        return;
    }
    emit_sample(number, POINTS, 0, which, at);
    task->done++;
}

void said_jobs(struct task *tasks, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct task *task = &tasks[i];

        for (; task->said < task->of->releases && task->jobs[task->said].state != JOB_OPEN; task->said++)
            said_job(task, i, task->said);
    }
}

bool said_totals(const struct task *tasks, uint32_t count)
{
    bool closed = true;

    for (uint32_t i = 0; i < count; i++) {
        emit_totals(i, tasks[i].due, tasks[i].done, tasks[i].said - tasks[i].done);
        closed = closed && tasks[i].due == tasks[i].said;
    }
    return closed;
}
