// SPDX-License-Identifier: MIT OR Apache-2.0
// A measured thread from start to end: it settles (CPU, priority, memory), measures the cost of the clock, fixes the
// schedule, and runs the measure. It has a ring of its own. It publishes the results for the session last.
#include "measured.h"

#include "counts.h"
#include "plan.h"

#define MEASURED_LEAD_NS 250000000u     // from sending the thread's number to the first stimulus: a tracer may attach
#define MEASURED_LEAD_BRIEF_NS 2000000u // lead time if no tracer attaches
#define MEASURED_REST_NS 1000000u       // length of a rest, and interval between checks for room in the ring
#define MEASURED_WORK_NS 100000000u     // longest work between rests: far less than the guard and throttling allow

static void measured_ask(struct measured_thread *thread, const char *refusal)
{
    uint32_t used = 0;

    while (thread->refusals[used])
        used++;
    if (used < MEASURED_REFUSALS - 1)
        thread->refusals[used] = refusal;
}

static bool measured_granted(const struct measured_thread *thread)
{
    return !thread->refusals[0] || thread->measured.plan->best_effort;
}

// If waits can end only on a grid, puts the schedule on this grid, so that no figure includes the time to the next grid
// point.
static const char *measured_place(struct measured *measured)
{
    struct port_grid grid = port_wait_grid();
    uint64_t earliest = port_clock_read() + counts_of_ns(MEASURED_LEAD_NS);
    uint64_t past = earliest > grid.first ? (earliest - grid.first) % grid.step : 0;

    measured->first_at = past == 0 ? earliest : earliest + (grid.step - past);
    if (measured->period % grid.step == 0)
        return NULL;
    return "this system's waits end on its ticks only: --period-ns must be a multiple of the tick";
}

// A measure without a period also begins after a lead time.
static const char *measured_begin(struct measured_thread *thread)
{
    struct measured *measured = &thread->measured;
    uint64_t for_ns = measured->plan->for_ns;

    if (thread->measure->traits & MEASURE_PERIODIC)
        return measured_place(measured);
    uint64_t lead_ns = thread->measure->traits & MEASURE_BRIEF ? MEASURED_LEAD_BRIEF_NS : MEASURED_LEAD_NS;

    measured->first_at = port_clock_read() + counts_of_ns(lead_ns);
    measured->rested_at = measured->first_at;
    measured->end_at = for_ns ? measured->first_at + counts_of_ns(for_ns) : UINT64_MAX;
    return NULL;
}

static const char *measured_schedule(const struct plan *plan)
{
    if (plan->policy == PLAN_DEADLINE)
        return port_thread_deadline(plan->runtime_ns, plan->period_ns, plan->period_ns);
    if (plan->priority == 0)
        return NULL;
    return port_thread_realtime(plan->priority, plan->policy == PLAN_FIFO ? PORT_FIFO : PORT_ROUND_ROBIN);
}

static void measured_settle(struct measured_thread *thread)
{
    const struct plan *plan = thread->measured.plan;

    measured_ask(thread, port_thread_settle(thread->cpu));
    measured_ask(thread, measured_schedule(plan));
    thread->id = port_thread_id();
    if (!measured_granted(thread))
        return;
    if (thread->takes_overhead)
        overhead_measure(&thread->overhead);
    thread->resident_bytes = port_resident_bytes();
    thread->usage_first = port_thread_usage();
    measured_ask(thread, measured_begin(thread));
}

void measured_run(void *argument)
{
    struct measured_thread *thread = argument;

    measured_settle(thread);
    bool granted = measured_granted(thread);

    atomic_store(&thread->settled, true);
    if (granted && (thread->measure->traits & MEASURE_PERIODIC || port_wait_until(thread->measured.first_at)))
        thread->measure->run(&thread->measured);
    thread->usage_last = port_thread_usage();
    atomic_store(&thread->ended, true);
}

static void measured_rest(struct measured *measured)
{
    port_sleep_ns(MEASURED_REST_NS);
    measured->rested_at = port_clock_read();
}

bool measured_goes_on(struct measured *measured, uint64_t seq)
{
    if (port_clock_read() - measured->rested_at > counts_of_ns(MEASURED_WORK_NS))
        measured_rest(measured);
    while (ring_room(measured->ring) < RING_SERIES && !port_stop_asked())
        measured_rest(measured);
    return seq < measured->last && port_clock_read() < measured->end_at && !port_stop_asked();
}

bool measured_cut(const struct measured_thread *thread)
{
    const struct measured *measured = &thread->measured;

    for (uint32_t i = 0; i < thread->measure->series_count; i++) {
        if (measured->due[i] < measured->last)
            return measured->last != UINT64_MAX || port_stop_asked();
    }
    return false;
}
