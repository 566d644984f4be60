// SPDX-License-Identifier: MIT OR Apache-2.0
// task.h — a task that runs, its jobs, and the data that all tasks of a set share.
#ifndef BACKWALL_PROBE_TASKS_TASK_H
#define BACKWALL_PROBE_TASKS_TASK_H

#include "../port/tasks.h"
#include "set.h"
#include "work.h"

// The fate of a release. Every value except the first is final.
enum job_state { JOB_OPEN, JOB_DONE, JOB_SKIPPED, JOB_ABORTED, JOB_UNFINISHED };

struct job {
    _Atomic uint32_t state; // enum job_state; once set, the times below are final
    struct task *task;
    uint64_t release_at; // when the job was handed to its thread
    uint64_t start_at;   // the job's first clock read
    uint64_t finish_at;  // the job's last clock read
};

// Data that all tasks share.
struct schedule {
    struct set set;
    struct work_rate rate;
    struct port_lock *locks;
    uint64_t start_at;           // the clock's count at the set's instant 0
    _Atomic uint64_t end_at;     // count at which running jobs are given up; moved nearer when the run is stopped
    _Atomic uint32_t threadless; // SET_THREAD_PER_EVENT: jobs for which the system made no thread
    const char *_Atomic failure; // why a job could not be carried out; NULL: no job failed so far
};

struct task {
    struct schedule *schedule;
    const struct set_task *of;
    const struct set_section *sections;
    const struct set_release *releases;
    struct job *jobs;         // one for each release
    uint64_t id;              // id of the task's thread, if it has one
    const char *refusal;      // what the machine did not grant
    struct port_event go;     // SET_POOL: a job was released
    _Atomic uint32_t handed;  // number of jobs that a generator has released so far
    uint64_t arrival_at;      // for the generator: count of the next arrival; UINT64_MAX: no more arrivals
    _Atomic bool idle;        // SET_POOL: the task's thread found no job and waits for go
    _Atomic uint32_t running; // SET_THREAD_PER_EVENT: threads that have not ended
    uint32_t said;            // for the writer: number of jobs that it has written to the stream
    uint32_t done;            // for the writer: number of written jobs that are samples
    uint32_t due;             // jobs that arrived before the end; final once `ended` is set
    uint64_t used_ns;         // CPU time of the task's thread; UINT64_MAX: unknown; final once `ended` is set
    _Atomic bool settled;     // id and refusal are final
    _Atomic bool ended;
};

// Why the schedule began before this thread was ready; NULL if the schedule has not begun.
const char *schedule_late(const struct schedule *schedule);
// Clock count of a release's arrival.
uint64_t task_arrival(const struct task *task, uint32_t which);
// Ends the run for this reason.
void schedule_fail(struct schedule *schedule, const char *why);
// Whether the schedule has ended.
bool task_is_over(const struct task *task);
// Called by the releasing thread when there will be no more releases. Open jobs that have arrived become unfinished;
// releases that have not arrived are not due.
void task_close(struct task *task, uint32_t from);
// Gives the calling thread its CPU and policy.
const char *task_settle(const struct task *task);

// Runs a job, from its first clock read to its last. release_at: when the job was handed over; 0: the job is released when it
// starts.
void job_run(struct job *job, uint64_t release_at);
// Records that a release passed while the previous job ran.
void job_skip(struct job *job);

// Thread functions. The argument is a struct task or a struct generator.
void series_run(void *task);
void pool_run(void *task);
void generator_run(void *generator);

// Releases the jobs of all tasks of a CPU, to existing threads or to threads that it creates.
struct generator {
    struct task *tasks; // all tasks of the set
    int cpu;
    uint64_t id;
    const char *refusal;
    _Atomic bool settled;
    _Atomic bool ended;
};

#endif
