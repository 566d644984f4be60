// SPDX-License-Identifier: MIT OR Apache-2.0
// Runs a load from its first record to its last: its threads work, and the main thread reports the progress once a
// second.
#include "loadrun.h"

#include "../wire/wire.h"
#include "counts.h"
#include "emit.h"
#include "exit.h"
#include "load.h"
#include "plan.h"
#include "port/port.h"

#include <stdatomic.h>
#include <stddef.h>

#define LOADRUN_SLICE_NS 100000000u
#define LOADRUN_SETTLE_NS 1000000u
#define LOADRUN_LOAD 0u
#define LOADRUN_TURN_NS 1000000u // how long a copy works before it rests

// Makes the copies of a load take turns. After its turn a copy rests for as long as the turns of all others take, and a
// little longer, so that copies of the lowest priority run too. The length varies, so that the order changes.
struct turn {
    uint64_t ends_at; // 0: set when the next unit begins
    uint32_t random;  // never 0
};

static _Thread_local struct turn loadrun_turn;

static struct {
    struct plan plan; // threads read it until the process ends, because nobody joins them
    struct load_run run;
    _Atomic uint64_t done;         // units done so far
    _Atomic(const char *) failure; // one line, once a thread has given up
    _Atomic(const char *) warning; // one line, until it is on the wire
    _Atomic unsigned started;      // threads that have started
    _Atomic unsigned settled;      // threads that have their settings, or whose settings were refused
} loadrun;

static bool loadrun_stopped(struct load_run *run)
{
    (void)run;
    return port_stop_asked();
}

// Marsaglia's xorshift, 32 bits, shifts 13, 17, 5 ("Xorshift RNGs", 2003).
static uint64_t loadrun_rest_ns(struct turn *turn, uint64_t copies)
{
    turn->random ^= turn->random << 13;
    turn->random ^= turn->random >> 17;
    turn->random ^= turn->random << 5;
    return copies * LOADRUN_TURN_NS * (1000u + turn->random % 500u) / 1000u;
}

static void loadrun_take_turns(struct turn *turn, uint64_t copies)
{
    uint64_t now = port_clock_read();

    if (turn->ends_at != 0 && now >= turn->ends_at) {
        port_sleep_ns(loadrun_rest_ns(turn, copies));
        turn->ends_at = 0;
    }
    if (turn->ends_at == 0)
        turn->ends_at = port_clock_read() + counts_of_ns(LOADRUN_TURN_NS);
}

static void loadrun_count(struct load_run *run, uint64_t units)
{
    atomic_fetch_add_explicit(&loadrun.done, units, memory_order_relaxed);
    if (run->plan->copies > 1)
        loadrun_take_turns(&loadrun_turn, run->plan->copies);
}

static void loadrun_fail(struct load_run *run, const char *line)
{
    (void)run;
    atomic_store(&loadrun.failure, line);
    port_stop();
}

static void loadrun_warn(struct load_run *run, const char *line)
{
    const char *none = NULL;

    (void)run;
    atomic_compare_exchange_strong(&loadrun.warning, &none, line);
}

static const struct load_calls LOADRUN_CALLS = {
    .stopped = loadrun_stopped,
    .count = loadrun_count,
    .fail = loadrun_fail,
    .warn = loadrun_warn,
    .screen = port_screen_open,
};

// A refusal ends the load, unless the user wants to continue without the refused setting.
static bool loadrun_granted(const char *refusal)
{
    if (!refusal)
        return true;
    if (loadrun.run.plan->best_effort)
        loadrun_warn(&loadrun.run, refusal);
    else
        loadrun_fail(&loadrun.run, refusal);
    return loadrun.run.plan->best_effort;
}

// The priority rises by one per copy. After the highest priority, it starts again at the first one.
static unsigned loadrun_priority(const struct plan *plan, unsigned which)
{
    return plan->priority + which / plan->load->threads % (plan->priority_to - plan->priority + 1);
}

static bool loadrun_settle(unsigned which)
{
    const struct plan *plan = loadrun.run.plan;

    if (!loadrun_granted(port_thread_settle(plan->cpu)))
        return false;
    if (plan->load->traits & LOAD_IDLE)
        return loadrun_granted(port_thread_idle());
    return plan->priority == 0
           || loadrun_granted(port_thread_realtime(loadrun_priority(plan, which), PORT_ROUND_ROBIN));
}

static void loadrun_thread(void *argument)
{
    unsigned which = atomic_fetch_add(&loadrun.started, 1);
    bool settled = loadrun_settle(which);

    (void)argument;
    loadrun_turn.random = 2463534242u + which;
    atomic_fetch_add(&loadrun.settled, 1);
    if (settled)
        loadrun.run.plan->load->run(&loadrun.run, which);
}

// Starts the threads. NULL if all of them work, otherwise the reason why not.
static const char *loadrun_start(void)
{
    const struct plan *plan = loadrun.run.plan;
    const unsigned threads = plan->load->threads * (unsigned)plan->copies;
    const char *refusal = plan->load->prepare ? plan->load->prepare(&loadrun.run) : NULL;

    for (unsigned i = 0; i < threads && !refusal; i++)
        refusal = port_thread_start(loadrun_thread, NULL);
    while (!refusal && !atomic_load(&loadrun.failure) && atomic_load(&loadrun.settled) < threads)
        port_sleep_ns(LOADRUN_SETTLE_NS);
    return refusal ? refusal : atomic_load(&loadrun.failure);
}

static void loadrun_say_progress(void)
{
    emit_progress(LOADRUN_LOAD, port_clock_read(), atomic_load(&loadrun.done));
    emit_flush();
}

static void loadrun_say_first(void)
{
    emit_hello();
    port_describe(emit_text);
    emit_load(LOADRUN_LOAD, loadrun.run.plan->load->name, loadrun.run.plan->load->unit);
    loadrun_say_progress();
}

static void loadrun_say_warning(void)
{
    const char *warning = atomic_exchange(&loadrun.warning, NULL);

    if (warning)
        emit_note(WIRE_NOTE_WARNING, warning);
}

// Sleeps in slices, so that it notices within one slice that the host has ended.
static void loadrun_sleep_until(uint64_t at)
{
    const uint64_t slice = counts_of_ns(LOADRUN_SLICE_NS);
    uint64_t now;

    while ((now = port_clock_read()) < at && port_wait_until(at - now < slice ? at : now + slice)) {
        if (port_host_gone())
            port_exit(PROBE_EXIT_FAILED);
    }
}

// Reports once a second on a fixed schedule, and skips seconds in which it did not get to run. Returns false if the load was
// stopped before its time.
static bool loadrun_report(void)
{
    const uint64_t second = port_clock_hz();
    uint64_t next_at = port_clock_read();
    const uint64_t end_at = loadrun.run.plan->for_ns ? next_at + counts_of_ns(loadrun.run.plan->for_ns) : UINT64_MAX;

    while (port_clock_read() < end_at && !port_stop_asked()) {
        do
            next_at += second;
        while (next_at <= port_clock_read());
        loadrun_sleep_until(next_at < end_at ? next_at : end_at);
        loadrun_say_warning();
        loadrun_say_progress();
    }
    return port_clock_read() >= end_at;
}

// Puts the main thread above its own real-time threads, so that it can stop them even if they occupy the only CPU.
static void loadrun_stay_in_charge(void)
{
    if (loadrun.run.plan->priority != 0)
        port_thread_realtime(loadrun.run.plan->priority_to + 1,
                             PORT_ROUND_ROBIN); // if the system refuses this, it also refuses the threads' priority
}

int loadrun_run(const struct plan *plan)
{
    loadrun.plan = *plan;
    loadrun.run = (struct load_run){&loadrun.plan, &LOADRUN_CALLS};
    loadrun_stay_in_charge();
    const char *failure = loadrun_start();

    if (failure) {
        port_complain(failure);
        return exit_of_refusal(failure);
    }
    loadrun_say_first();
    bool whole = loadrun_report();

    failure = atomic_load(&loadrun.failure);
    if (failure) {
        port_complain(failure);
        emit_note(WIRE_NOTE_ERROR, failure);
    }
    emit_end(failure ? WIRE_END_FAILED : whole ? WIRE_END_DONE : WIRE_END_INTERRUPTED);
    return failure ? PROBE_EXIT_MACHINE : PROBE_EXIT_DONE;
}
