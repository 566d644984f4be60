// SPDX-License-Identifier: MIT OR Apache-2.0
// Runs a measure from its first record to its last.
//
// Each measured CPU has a measured thread with a ring of its own (measured.c). The main thread has ordinary priority,
// stays off these CPUs, and writes the stream from the rings. It writes nothing before the machine has granted
// everything, so a refusal leaves standard output empty.
#include "session.h"

#include "../wire/wire.h"
#include "account.h"
#include "counts.h"
#include "emit.h"
#include "exit.h"
#include "measured.h"
#include "plan.h"
#include "port/port.h"

#include <stdio.h>

#define SESSION_PUMP_NS 100000000u    // interval between checks of the rings, which can hold far more
#define SESSION_PUMP_STOP_NS 2000000u // interval after a request to stop, and for a brief measure
#define SESSION_REFUSALS_MAX 2u

static struct {
    const struct plan *plan;
    struct measured_thread *threads;            // plan->threads entries
    const char *refusals[SESSION_REFUSALS_MAX]; // what the machine refused to the whole process
    uint32_t refusals_count;
} session;

static void session_ask(const char *refusal)
{
    if (refusal)
        session.refusals[session.refusals_count++] = refusal;
}

static bool session_shares(const struct plan *plan, uint32_t which)
{
    for (uint32_t i = 0; i < plan->threads; i++) {
        if (i != which && plan->cpus[i] == plan->cpus[which])
            return true;
    }
    return false;
}

// Maps the ring after memory is locked, so that all of it exists before the first stimulus.
static const char *session_prepare_thread(uint32_t which)
{
    const struct plan *plan = session.plan;
    const bool periodic = plan->measure->traits & MEASURE_PERIODIC;
    struct ring *ring = port_memory_map(sizeof *ring);

    session.threads[which] = (struct measured_thread){
        .measure = plan->measure,
        .cpu = plan->cpus[which],
        .number = which,
        .shares = session_shares(plan, which),
        .takes_overhead = which == 0,
        .first_series = which * plan->measure->series_count,
        .measured =
            {
                .plan = plan,
                .ring = ring,
                .last = plan->count ? plan->warmup + plan->count : UINT64_MAX,
                .period = periodic ? counts_of_ns(plan->period_ns) : 0,
            },
    };
    return ring ? NULL : "no memory for the ring of samples: 2 MiB for each measured thread are needed";
}

static const char *session_begin(const struct plan *plan)
{
    const char *refusal = NULL;

    session.plan = plan;
    session.refusals_count = 0;
    port_guard_arm();
    port_memory_lock();
    if (plan->idle_off)
        session_ask(port_idle_hold());
    session.threads = port_memory_map(plan->threads * sizeof *session.threads);
    if (!session.threads)
        return "no memory for the measured threads";
    port_thread_avoid(plan->cpus, plan->threads);
    for (uint32_t i = 0; i < plan->threads && !refusal; i++)
        refusal = session_prepare_thread(i);
    if (!refusal && plan->measure->prepare)
        refusal = plan->measure->prepare(plan);
    for (uint32_t i = 0; i < session.plan->threads && !refusal; i++)
        refusal = port_thread_start(measured_run, &session.threads[i]);
    return refusal;
}

static bool session_reached(_Atomic bool *(*mark)(struct measured_thread *thread))
{
    for (uint32_t i = 0; i < session.plan->threads; i++) {
        if (!atomic_load(mark(&session.threads[i])))
            return false;
    }
    return true;
}

static _Atomic bool *session_settled(struct measured_thread *thread)
{
    return &thread->settled;
}

static _Atomic bool *session_ended(struct measured_thread *thread)
{
    return &thread->ended;
}

// The first refusal of the machine; NULL if it granted everything.
static const char *session_refusal(void)
{
    const char *refusal = session.refusals_count ? session.refusals[0] : NULL;

    for (uint32_t i = 0; i < session.plan->threads && !refusal; i++)
        refusal = session.threads[i].refusals[0];
    return refusal;
}

static void session_warn_of_refusals(void)
{
    for (uint32_t i = 0; i < session.refusals_count; i++)
        emit_note(WIRE_NOTE_WARNING, session.refusals[i]);
    for (uint32_t i = 0; i < session.plan->threads; i++) {
        for (const char **refusal = session.threads[i].refusals; *refusal; refusal++)
            emit_note(WIRE_NOTE_WARNING, *refusal);
    }
    if (port_memory_unlocked())
        emit_note(WIRE_NOTE_WARNING, port_memory_unlocked());
}

static void session_say_number(const char *key, uint64_t number)
{
    char text[24];

    snprintf(text, sizeof text, "%llu", (unsigned long long)number);
    emit_text(key, text);
}

// Writes the parts of the plan that the figures do not show, because a stream may be read without the request.
static void session_say_plan(void)
{
    const struct plan *plan = session.plan;

    emit_text("measure", plan->measure->name);
    session_say_number("priority", plan->priority);
    emit_text("idle", plan->idle_off ? "off" : "as-is");
    if (plan->threads == 1 && plan->cpus[0] != PROBE_CPU_ANY)
        session_say_number("measured_cpu", (uint64_t)plan->cpus[0]);
    if (plan->best_effort)
        emit_text("best_effort", "yes");
}

static void session_say_overhead(const struct measured_thread *thread)
{
    const struct overhead *overhead = &thread->overhead;

    emit_value(WIRE_NONE, "overhead_min_cycles", overhead->min_cycles);
    emit_value(WIRE_NONE, "overhead_median_cycles", overhead->median_cycles);
    emit_value(WIRE_NONE, "overhead_p999_cycles", overhead->p999_cycles);
    emit_value(WIRE_NONE, "overhead_max_cycles", overhead->max_cycles);
    emit_value(WIRE_NONE, "resolution_cycles", overhead->resolution_cycles);
    emit_value(WIRE_NONE, "resident_start_bytes", thread->resident_bytes);
}

// Writes the thread numbers before the series, because a tracer needs them. The other texts follow the series.
static void session_say_first(void)
{
    emit_hello();
    for (uint32_t i = 0; i < session.plan->threads; i++)
        session_say_number("probe_tid", session.threads[i].id);
    session_say_plan();
    for (uint32_t i = 0; i < session.plan->threads; i++)
        account_declare(&session.threads[i], session.plan->threads > 1);
    emit_flush();
    port_describe(emit_text);
    session_warn_of_refusals();
    session_say_overhead(&session.threads[0]);
    emit_flush();
}

static void session_say_last(void)
{
    for (uint32_t i = 0; i < session.plan->threads; i++)
        account_say_usage(&session.threads[i], session.plan->threads > 1);
    if (port_process_usage().known)
        emit_value(WIRE_NONE, "process_cpu_ns", port_process_usage().cpu_ns);
    emit_value(WIRE_NONE, "resident_end_bytes", port_resident_bytes());
    for (uint32_t i = 0; i < session.plan->threads; i++)
        account_say_totals(&session.threads[i]);
}

static void session_drain(void)
{
    for (uint32_t i = 0; i < session.plan->threads; i++)
        account_drain(&session.threads[i]);
    emit_flush();
}

static uint64_t session_pause_ns(void)
{
    bool brief = session.plan->measure->traits & MEASURE_BRIEF;

    return brief || port_stop_asked() ? SESSION_PUMP_STOP_NS : SESSION_PUMP_NS;
}

static void session_pump(void)
{
    while (!session_reached(session_ended) && !port_guard_tripped()) {
        session_drain();
        if (port_host_gone())
            port_exit(PROBE_EXIT_FAILED);
        if (port_stop_asked())
            port_threads_wake();
        port_sleep_ns(session_pause_ns());
    }
}

static const char SESSION_RUNAWAY[] = "the measured thread used the CPU for 2 s without waiting once, and was "
                                      "stopped; a longer period leaves it time to wait";

// Ends a stream that has begun with an error.
static int session_fail(const char *line)
{
    port_complain(line);
    emit_note(WIRE_NOTE_ERROR, line);
    emit_end(WIRE_END_FAILED);
    return PROBE_EXIT_FAILED;
}

static int session_end(void)
{
    bool closed = true;
    bool cut = false;
    const char *failure = NULL;

    for (uint32_t i = 0; i < session.plan->threads; i++) {
        closed = account_close(&session.threads[i]) && closed;
        cut = cut || measured_cut(&session.threads[i]);
        failure = failure ? failure : session.threads[i].measured.failure;
    }
    session_say_last();
    if (!closed)
        return session_fail("the account does not close: due is not done + lost; this is a bug of the probe");
    if (failure)
        return session_fail(failure);
    emit_end(cut ? WIRE_END_INTERRUPTED : WIRE_END_DONE);
    return PROBE_EXIT_DONE;
}

static int session_refuse(const char *refusal, int code)
{
    port_complain(refusal);
    return code;
}

static int session_measure(const struct plan *plan)
{
    const char *refusal = session_begin(plan);

    if (refusal)
        return session_refuse(refusal, exit_of_refusal(refusal));
    while (!session_reached(session_settled) && !port_guard_tripped())
        port_sleep_ns(SESSION_PUMP_STOP_NS);
    if (!session_reached(session_settled))
        return session_refuse(SESSION_RUNAWAY, PROBE_EXIT_FAILED);
    if (!plan->best_effort && session_refusal())
        return session_refuse(session_refusal(), exit_of_refusal(session_refusal()));
    session_say_first();
    session_pump();
    if (port_guard_tripped()) {
        session_drain();
        return session_fail(SESSION_RUNAWAY);
    }
    return session_end();
}

// Releases the resources of the threads when all have ended, because another session may follow.
static void session_release(void)
{
    if (!session.threads || !session_reached(session_ended))
        return;
    for (uint32_t i = 0; i < session.plan->threads; i++)
        port_memory_unmap(session.threads[i].measured.ring, sizeof(struct ring));
    port_memory_unmap(session.threads, session.plan->threads * sizeof *session.threads);
    session.threads = NULL;
}

int session_run(const struct plan *plan)
{
    int code = session_measure(plan);

    session_release();
    return code;
}
