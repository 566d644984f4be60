// SPDX-License-Identifier: MIT OR Apache-2.0
// A measure from its first record to its last.
//
// Two threads. The measured thread settles (processor, priority, memory), takes
// the clock's own cost, fixes the schedule, and runs the measure. The main thread
// stays ordinary, keeps off that processor, and writes the stream from the ring.
// Nothing is written before the machine has granted all that was asked, so a
// refusal leaves standard output empty.
#include "session.h"

#include "../wire/wire.h"
#include "counts.h"
#include "emit.h"
#include "exit.h"
#include "measure.h"
#include "overhead.h"
#include "plan.h"
#include "port/port.h"

#include <stdio.h>

#define SESSION_LEAD_NS 250000000u   // from the thread's number on the wire to the first release: a tracer joins here
#define SESSION_PUMP_NS 100000000u   // between two looks at the ring; it holds far more
#define SESSION_PUMP_STOP_NS 2000000u // the same once asked to stop
#define SESSION_SERIES 0u

static struct ring session_ring;

static struct session {
    const struct plan *plan;
    struct measured measured;
    const char *refusals[8]; // what the machine did not grant
    uint32_t refusals_count;
    uint64_t thread_id;
    uint64_t resident_bytes; // before the first release
    struct overhead overhead;
    struct port_usage usage_first; // of the measured thread, around the measure
    struct port_usage usage_last;
    _Atomic bool settled; // all above is final but usage_last; set by the measured thread
    _Atomic bool ended;   // measured->due and usage_last are final; set by the measured thread
    uint64_t done;
    uint64_t lost;
} session;

static void session_ask(const char *refusal)
{
    if (refusal)
        session.refusals[session.refusals_count++] = refusal;
}

// Where waits end on a grid only, the schedule lies on it: otherwise each figure would hold the way to the next point.
static const char *session_place(void)
{
    struct port_grid grid = port_wait_grid();
    uint64_t earliest = port_clock_read() + counts_of_ns(SESSION_LEAD_NS);
    uint64_t past = earliest > grid.first ? (earliest - grid.first) % grid.step : 0;

    session.measured.first_at = past == 0 ? earliest : earliest + (grid.step - past);
    if (session.measured.period % grid.step == 0)
        return NULL;
    return "this system's waits end on its ticks only: --period-ns must be a multiple of the tick";
}

// The measured thread, from its first instruction.
static void session_measured(void *argument)
{
    const struct plan *plan = session.plan;

    (void)argument;
    session_ask(port_thread_settle(plan->cpu));
    if (plan->priority != 0)
        session_ask(port_thread_realtime(plan->priority, PORT_FIFO));
    session.thread_id = port_thread_id();
    if (session.refusals_count == 0 || plan->best_effort) {
        overhead_measure(&session.overhead);
        session.resident_bytes = port_resident_bytes();
        session.usage_first = port_thread_usage();
        session_ask(session_place());
    }
    atomic_store(&session.settled, true);
    if (session.refusals_count == 0 || plan->best_effort)
        plan->measure->run(&session.measured);
    session.usage_last = port_thread_usage();
    atomic_store(&session.ended, true);
}

static void session_begin(const struct plan *plan)
{
    session.plan = plan;
    session.measured = (struct measured){
        .plan = plan,
        .ring = &session_ring,
        .period = counts_of_ns(plan->period_ns),
    };
    port_guard_arm();
    session_ask(port_memory_lock());
    if (plan->idle_off)
        session_ask(port_idle_hold());
    port_thread_avoid(plan->cpu);
}

// What the machine refused ends the probe, unless the user wants to go on with less.
static bool session_granted(void)
{
    if (session.plan->best_effort)
        return true;
    if (session.refusals_count != 0)
        port_complain(session.refusals[0]);
    return session.refusals_count == 0;
}

static void session_say_series(void)
{
    const struct measure *measure = session.plan->measure;
    struct wire_series series = {
        .series = SESSION_SERIES,
        .points = measure->points,
        .period = session.measured.period,
        .deadline = session.measured.period,
        .first_at = session.measured.first_at,
        .overrun = session.plan->overrun_queue ? WIRE_OVERRUN_QUEUE : WIRE_OVERRUN_SKIP,
    };

    emit_name(series.name, measure->name);
    for (uint32_t i = 0; i < measure->points; i++)
        emit_name(series.point[i], measure->point[i]);
    emit_series(&series);
}

static void session_say_thread(void)
{
    char text[24];

    snprintf(text, sizeof text, "%llu", (unsigned long long)session.thread_id);
    emit_text("probe_tid", text);
}

static void session_say_first(void)
{
    emit_hello();
    session_say_thread();
    session_say_series();
    emit_flush();
    port_describe(emit_text);
    for (uint32_t i = 0; i < session.refusals_count; i++)
        emit_note(WIRE_NOTE_WARNING, session.refusals[i]);
    emit_value("overhead_min_cycles", session.overhead.min_cycles);
    emit_value("overhead_median_cycles", session.overhead.median_cycles);
    emit_value("overhead_p999_cycles", session.overhead.p999_cycles);
    emit_value("overhead_max_cycles", session.overhead.max_cycles);
    emit_value("resolution_cycles", session.overhead.resolution_cycles);
    emit_value("resident_start_bytes", session.resident_bytes);
    emit_flush();
}

// Nothing where the system keeps no account: a 0 would be a figure.
static void session_say_usage(void)
{
    if (!session.usage_last.known)
        return;
    emit_value("measured_cpu_ns", session.usage_last.cpu_ns - session.usage_first.cpu_ns);
    emit_value("measured_page_faults", session.usage_last.page_faults - session.usage_first.page_faults);
    emit_value("measured_preemptions", session.usage_last.preemptions - session.usage_first.preemptions);
    emit_value("process_cpu_ns", port_process_usage().cpu_ns);
}

static void session_say_last(void)
{
    session_say_usage();
    emit_value("resident_end_bytes", port_resident_bytes());
    emit_totals(SESSION_SERIES, session.measured.due, session.done, session.lost);
}

static void session_say(const struct ring_entry *entry)
{
    if (entry->kind == RING_LOST) {
        emit_lost(SESSION_SERIES, entry->reason, entry->seq, entry->at[0]);
        session.lost += entry->at[0];
        return;
    }
    emit_sample(SESSION_SERIES, session.plan->measure->points,
                entry->seq < session.plan->warmup ? WIRE_SAMPLES_WARMUP : 0, entry->seq, entry->at);
    session.done++;
}

static void session_drain(void)
{
    struct ring_entry entry;

    while (ring_take(&session_ring, &entry))
        session_say(&entry);
    emit_flush();
}

static void session_wait(const _Atomic bool *reached)
{
    while (!atomic_load(reached) && !port_guard_tripped()) {
        session_drain();
        if (port_host_gone())
            port_exit(PROBE_EXIT_FAILED);
        if (port_stop_asked())
            port_thread_wake();
        port_sleep_ns(port_stop_asked() ? SESSION_PUMP_STOP_NS : SESSION_PUMP_NS);
    }
}

static const char SESSION_RUNAWAY[] = "the measured thread used the processor for 2 s without waiting once, and was "
                                      "stopped; a longer period leaves it time to wait";

// Ends a stream that has begun.
static int session_fail(const char *line)
{
    port_complain(line);
    emit_note(WIRE_NOTE_ERROR, line);
    emit_end(WIRE_END_FAILED);
    return PROBE_EXIT_FAILED;
}

static int session_end(void)
{
    struct ring_entry entry;

    session_drain();
    if (ring_take_missed(&session_ring, &entry))
        session_say(&entry);
    session_say_last();
    if (session.measured.due != session.done + session.lost)
        return session_fail("the account does not close: due is not done + lost; this is a bug of the probe");
    bool whole = session.measured.due == session.plan->warmup + session.plan->count;

    emit_end(whole ? WIRE_END_DONE : WIRE_END_INTERRUPTED);
    return PROBE_EXIT_DONE;
}

int session_run(const struct plan *plan)
{
    session_begin(plan);
    const char *refusal = plan->measure->prepare ? plan->measure->prepare() : NULL;

    if (!refusal)
        refusal = port_thread_start(session_measured, NULL);
    if (refusal) {
        port_complain(refusal);
        return PROBE_EXIT_MACHINE;
    }
    while (!atomic_load(&session.settled) && !port_guard_tripped())
        port_sleep_ns(SESSION_PUMP_STOP_NS);
    if (!atomic_load(&session.settled)) {
        port_complain(SESSION_RUNAWAY);
        return PROBE_EXIT_FAILED;
    }
    if (!session_granted())
        return PROBE_EXIT_MACHINE;
    session_say_first();
    session_wait(&session.ended);
    if (port_guard_tripped()) {
        session_drain();
        return session_fail(SESSION_RUNAWAY);
    }
    return session_end();
}
