// SPDX-License-Identifier: MIT OR Apache-2.0
// Runs a task set: calibrates the computation, lets the threads settle, runs the schedule, and calibrates the
// computation again.
//
// The main thread has ordinary priority and writes what the other threads store. They store it in memory that was
// allocated beforehand, with a place for each release, so that no record can be lost. The main thread writes nothing
// before the machine has granted everything, so a refusal leaves standard output empty.
#include "run.h"

#include "../../wire/wire.h"
#include "../counts.h"
#include "../emit.h"
#include "../exit.h"
#include "../overhead.h"
#include "../plan.h"
#include "said.h"
#include "task.h"

#include <stdio.h>

#define LEAD_NS 300000000u      // from the start of the threads to instant 0
#define LEAD_TASK_NS 2000000u   // added for each task
#define PUMP_NS 250000000u      // interval between checks of the jobs
#define PUMP_LAST_NS 50000000u  // interval when the last jobs may have ended
#define PUMP_SETTLE_NS 2000000u // interval while threads settle, and after a request to stop

static struct {
    struct schedule schedule;
    struct task *tasks;
    struct generator generators[SET_TASKS_MAX]; // one for each CPU that a task uses
    uint32_t generators_count;
    uint64_t last_at; // count of the last arrival
    struct overhead overhead;
    struct work_rate rate_after;
    const char *refusals[2];
    _Atomic bool calibrated;
} run;

static uint32_t run_count(void)
{
    return run.schedule.set.head.tasks;
}

static bool run_has_generators(void)
{
    return run.schedule.set.head.organisation != SET_THREAD_PER_SERIES;
}

static bool run_best_effort(void)
{
    return run.schedule.set.head.flags & SET_BEST_EFFORT;
}

// Calibrates at a generator's priority on the CPU of the first task, so that no thread, of the set or not, interrupts
// the calibration.
static void run_calibrate(void *rate)
{
    const struct set_task *first = run.tasks[0].of;

    if (run.schedule.set.head.generator_priority)
        run.refusals[1] = port_thread_realtime(run.schedule.set.head.generator_priority, PORT_FIFO);
    run.refusals[0] = port_thread_settle(first->cpu == SET_CPU_ANY ? PROBE_CPU_ANY : (int)first->cpu);
    *(struct work_rate *)rate = work_calibrate();
    if (run.overhead.max_cycles == 0)
        overhead_measure(&run.overhead);
    run.calibrated = true;
}

static const char *run_calibrated(struct work_rate *rate)
{
    run.calibrated = false;
    const char *why = port_thread_start(run_calibrate, rate);

    while (!why && !run.calibrated && !port_guard_tripped())
        port_sleep_ns(PUMP_SETTLE_NS);
    return why;
}

static const char *run_make_locks(void)
{
    static const enum port_protocol PROTOCOLS[] = {
        [SET_PLAIN] = PORT_PLAIN, [SET_INHERITANCE] = PORT_INHERITANCE, [SET_CEILING] = PORT_CEILING};
    const struct set *set = &run.schedule.set;
    const char *why = NULL;

    run.schedule.locks = port_memory_map((set->head.locks + 1) * sizeof *run.schedule.locks);
    if (!run.schedule.locks)
        return "no memory for the locks";
    for (uint32_t i = 0; i < set->head.locks && !why; i++)
        why = port_lock_make(&run.schedule.locks[i], PROTOCOLS[set->locks[i].protocol], set->locks[i].ceiling);
    return why;
}

static void run_make_generator(uint32_t cpu)
{
    for (uint32_t i = 0; i < run.generators_count; i++) {
        if (run.generators[i].cpu == (int)cpu)
            return;
    }
    run.generators[run.generators_count++] = (struct generator){.tasks = run.tasks, .cpu = (int)cpu};
}

// Allocates a place for every job before the first one.
static const char *run_make_tasks(void)
{
    const struct set *set = &run.schedule.set;
    const struct set_section *sections = set->sections;
    const struct set_release *releases = set->releases;
    struct job *jobs = port_memory_map(set->head.releases * sizeof *jobs);

    run.tasks = port_memory_map(set->head.tasks * sizeof *run.tasks);
    if (!run.tasks || !jobs)
        return "no memory for the jobs: 40 bytes for each release are needed";
    for (uint32_t i = 0; i < set->head.tasks; i++) {
        struct task *task = &run.tasks[i];

        task->schedule = &run.schedule;
        task->of = &set->tasks[i];
        task->sections = sections;
        task->releases = releases;
        task->jobs = jobs;
        for (uint32_t which = 0; which < task->of->releases; which++)
            jobs[which].task = task;
        sections += task->of->sections;
        releases += task->of->releases;
        jobs += task->of->releases;
        if (run_has_generators())
            run_make_generator(task->of->cpu);
    }
    return NULL;
}

static uint64_t run_last_arrival(void)
{
    uint64_t last_at = 0;

    for (uint32_t i = 0; i < run_count(); i++) {
        const struct task *task = &run.tasks[i];
        uint64_t at = task->of->releases ? task_arrival(task, task->of->releases - 1) : 0;

        last_at = at > last_at ? at : last_at;
    }
    return last_at;
}

// If waits can end only on a grid, puts the schedule on this grid, so that no figure includes the time to the next grid
// point.
static void run_place(void)
{
    struct port_grid grid = port_wait_grid();
    uint64_t earliest = port_clock_read() + counts_of_ns(LEAD_NS + (uint64_t)run_count() * LEAD_TASK_NS);
    uint64_t past = earliest > grid.first ? (earliest - grid.first) % grid.step : 0;

    run.schedule.start_at = past == 0 ? earliest : earliest + (grid.step - past);
    run.schedule.end_at = run.schedule.start_at + counts_of_ns(run.schedule.set.head.end_ns);
    run.last_at = run_last_arrival();
}

static const char *run_start(void)
{
    void (*body)(void *) = run.schedule.set.head.organisation == SET_POOL ? pool_run : series_run;
    const char *why = NULL;

    run_place();
    if (run.schedule.set.head.organisation != SET_THREAD_PER_EVENT) {
        for (uint32_t i = 0; i < run_count() && !why; i++)
            why = port_thread_start(body, &run.tasks[i]);
    }
    for (uint32_t i = 0; i < run.generators_count && !why; i++)
        why = port_thread_start(generator_run, &run.generators[i]);
    return why;
}

// A thread without an affinity starts on a CPU on which its creator may run. So the creator must be allowed on every
// CPU.
static void run_avoid(void)
{
    int16_t cpus[SET_TASKS_MAX];
    bool anywhere = false;

    for (uint32_t i = 0; i < run_count(); i++) {
        anywhere = anywhere || run.tasks[i].of->cpu == SET_CPU_ANY;
        cpus[i] = anywhere ? PROBE_CPU_ANY : (int16_t)run.tasks[i].of->cpu;
    }
    if (!anywhere)
        port_thread_avoid(cpus, run_count());
}

// The first refusal that affects the whole process; NULL if everything was granted.
static const char *run_begin(void)
{
    if (run.schedule.set.head.work == SET_WORK_CPU_TIME && port_thread_cpu_ns() == UINT64_MAX)
        return "this system keeps no account of a thread's CPU time: leave out --work cpu-time";
    const char *why = run_make_tasks();

    if (why)
        return why;
    port_guard_arm();
    port_memory_lock();
    const char *refusal = run.schedule.set.head.flags & SET_IDLE_OFF ? port_idle_hold() : NULL;

    if (refusal && !run_best_effort())
        return refusal;
    run_avoid();
    why = run_make_locks();
    why = why ? why : run_calibrated(&run.schedule.rate);
    for (uint32_t i = 0; i < 2 && !why && !run_best_effort(); i++)
        why = run.refusals[i];
    run.refusals[0] = refusal ? refusal : run.refusals[0];
    return why ? why : run_start();
}

static bool run_settled(void)
{
    bool settled = true;

    for (uint32_t i = 0; i < run_count() && run.schedule.set.head.organisation != SET_THREAD_PER_EVENT; i++)
        settled = settled && run.tasks[i].settled;
    for (uint32_t i = 0; i < run.generators_count; i++)
        settled = settled && run.generators[i].settled;
    return settled;
}

static bool run_ended(void)
{
    bool ended = true;

    // Check the generators first: a running generator may still start a job of a task that has no running job now.
    for (uint32_t i = 0; i < run.generators_count; i++)
        ended = ended && run.generators[i].ended;
    for (uint32_t i = 0; i < run_count(); i++)
        ended = ended
                && (run.schedule.set.head.organisation == SET_THREAD_PER_EVENT ? run.tasks[i].running == 0
                                                                               : run.tasks[i].ended);
    return ended;
}

static const char *run_refusal(void)
{
    const char *refusal = NULL;

    for (uint32_t i = 0; i < run_count() && !refusal; i++)
        refusal = run.tasks[i].refusal;
    for (uint32_t i = 0; i < run.generators_count && !refusal; i++)
        refusal = run.generators[i].refusal;
    return refusal;
}

static void run_say_thread(uint64_t id)
{
    char text[24];

    snprintf(text, sizeof text, "%llu", (unsigned long long)id);
    if (id)
        emit_text("probe_tid", text);
}

static void run_say_first(void)
{
    emit_hello();
    for (uint32_t i = 0; i < run_count(); i++)
        run_say_thread(run.tasks[i].id);
    emit_text("measure", "tasks");
    emit_text("idle", run.schedule.set.head.flags & SET_IDLE_OFF ? "off" : "as-is");
    said_declare(&run.schedule, run.tasks);
    emit_flush();
    port_describe(emit_text);
    for (uint32_t i = 0; i < 2; i++) {
        if (run.refusals[i])
            emit_note(WIRE_NOTE_WARNING, run.refusals[i]);
    }
    if (port_memory_unlocked())
        emit_note(WIRE_NOTE_WARNING, port_memory_unlocked());
    if (run_refusal())
        emit_note(WIRE_NOTE_WARNING, run_refusal());
    emit_value(WIRE_NONE, "schedule_start_cycles", run.schedule.start_at);
    emit_value(WIRE_NONE, "overhead_min_cycles", run.overhead.min_cycles);
    emit_value(WIRE_NONE, "overhead_median_cycles", run.overhead.median_cycles);
    emit_value(WIRE_NONE, "overhead_p999_cycles", run.overhead.p999_cycles);
    emit_value(WIRE_NONE, "overhead_max_cycles", run.overhead.max_cycles);
    emit_value(WIRE_NONE, "resolution_cycles", run.overhead.resolution_cycles);
    emit_flush();
}

// Stops the run: no further job begins, and running jobs are given up.
static void run_stop(void)
{
    uint64_t now = port_clock_read();

    if (now < run.schedule.end_at)
        run.schedule.end_at = now;
    port_threads_wake();
    for (uint32_t i = 0; i < run_count(); i++)
        port_event_set(&run.tasks[i].go);
}

static bool run_must_stop(void)
{
    return port_stop_asked() || port_guard_tripped() || run.schedule.failure;
}

// Checks seldom before the last job: a check takes time on the measured machine, and nobody waits for it.
static uint64_t run_pump_ns(void)
{
    if (run_must_stop())
        return PUMP_SETTLE_NS;
    return port_clock_read() + counts_of_ns(PUMP_NS) < run.last_at ? PUMP_NS : PUMP_LAST_NS;
}

static void run_pump(void)
{
    while (!run_ended()) {
        said_jobs(run.tasks, run_count());
        emit_flush();
        if (port_host_gone())
            port_exit(PROBE_EXIT_FAILED);
        if (run_must_stop())
            run_stop();
        port_sleep_ns(run_pump_ns());
    }
    said_jobs(run.tasks, run_count());
}

static void run_say_last(void)
{
    emit_value(WIRE_NONE, "calibration_before_turns", work_turns_per_ms(&run.schedule.rate));
    if (run.rate_after.counts)
        emit_value(WIRE_NONE, "calibration_after_turns", work_turns_per_ms(&run.rate_after));
    if (run.schedule.threadless)
        emit_value(WIRE_NONE, "jobs_without_thread", run.schedule.threadless);
    for (uint32_t i = 0; i < run_count() && run.schedule.set.head.organisation != SET_THREAD_PER_EVENT; i++) {
        if (run.tasks[i].used_ns != UINT64_MAX)
            emit_value(i, "task_cpu_ns", run.tasks[i].used_ns);
    }
    if (port_process_usage().known)
        emit_value(WIRE_NONE, "process_cpu_ns", port_process_usage().cpu_ns);
}

static const char *run_failure(bool closed)
{
    if (!closed)
        return "the account does not close: a release that was due is neither done nor lost; this is a bug of the "
               "probe";
    if (port_guard_tripped())
        return "a thread of the set used its CPU for 2 s without waiting once, and the set was stopped; fewer or "
               "shorter jobs leave it time to wait";
    return run.schedule.failure;
}

// Whether every release came due.
static bool run_whole(void)
{
    bool whole = true;

    for (uint32_t i = 0; i < run_count(); i++)
        whole = whole && run.tasks[i].due == run.tasks[i].of->releases;
    return whole;
}

static int run_end(void)
{
    run_say_last();
    const char *failure = run_failure(said_totals(run.tasks, run_count()));

    if (failure) {
        port_complain(failure);
        emit_note(WIRE_NOTE_ERROR, failure);
        emit_end(WIRE_END_FAILED);
        return PROBE_EXIT_FAILED;
    }
    emit_end(run_whole() ? WIRE_END_DONE : WIRE_END_INTERRUPTED);
    return PROBE_EXIT_DONE;
}

static int run_refuse(const char *refusal, int code)
{
    port_complain(refusal);
    return code;
}

int run_tasks(void)
{
    const char *refusal = set_read(&run.schedule.set);

    if (refusal)
        return run_refuse(refusal, PROBE_EXIT_USAGE);
    refusal = run_begin();
    if (refusal)
        return run_refuse(refusal, exit_of_refusal(refusal));
    while (!run_settled())
        port_sleep_ns(PUMP_SETTLE_NS);
    if (run_refusal() && !run_best_effort())
        return run_refuse(run_refusal(), exit_of_refusal(run_refusal()));
    run_say_first();
    run_pump();
    if (!run_must_stop())
        run_calibrated(&run.rate_after);
    return run_end();
}
