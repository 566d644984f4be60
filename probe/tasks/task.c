// SPDX-License-Identifier: MIT OR Apache-2.0
// Shared by all ways to run a task: its arrivals, its place on the machine, its end.
#include "task.h"

#include "../counts.h"
#include "../plan.h"

uint64_t task_arrival(const struct task *task, uint32_t which)
{
    return task->schedule->start_at + counts_of_ns(task->releases[which].arrival_ns);
}

bool task_is_over(const struct task *task)
{
    return port_clock_read() >= task->schedule->end_at;
}

// A thread may see the request to stop before the end of the schedule is set to that time. A release that has not arrived by now
// was not due.
void task_close(struct task *task, uint32_t from)
{
    uint64_t now = port_clock_read();
    uint64_t end_at = now < task->schedule->end_at ? now : task->schedule->end_at;
    uint32_t due = from;

    for (; due < task->of->releases && task_arrival(task, due) < end_at; due++)
        task->jobs[due].state = JOB_UNFINISHED;
    task->due = due;
}

static const char *task_schedule(const struct set_task *of)
{
    if (of->policy == SET_ORDINARY)
        return NULL;
    if (of->policy == SET_DEADLINE)
        return port_thread_deadline(of->runtime_ns, of->deadline_ns, of->period_ns);
    return port_thread_realtime(of->priority, of->policy == SET_FIFO ? PORT_FIFO : PORT_ROUND_ROBIN);
}

// Raises the priority first, then moves to the CPU. There, an ordinary thread would have to wait for urgent threads.
const char *task_settle(const struct task *task)
{
    const struct set_task *of = task->of;
    const char *refusal = task_schedule(of);
    const char *moved = port_thread_settle(of->cpu == SET_CPU_ANY ? PROBE_CPU_ANY : (int)of->cpu);

    refusal = refusal ? refusal : moved;
    return refusal ? refusal : schedule_late(task->schedule);
}

void schedule_fail(struct schedule *schedule, const char *why)
{
    schedule->failure = why;
}

const char *schedule_late(const struct schedule *schedule)
{
    return port_clock_read() < schedule->start_at ? NULL
                                                  : "the machine was too busy to start the threads of the set in "
                                                    "time: try again, or with less load";
}
