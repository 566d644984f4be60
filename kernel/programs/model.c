// SPDX-License-Identifier: MIT OR Apache-2.0
// The latency model of the CE .NET paper with this kernel's numbers, in instructions: A interrupts off, B dispatch, C ISR exit, L
// longest kernel call, M schedule. The program compares the predicted latencies of ISR and IST with the largest that sweeps find.
// The only other interrupt is the tick, with the timeout that it may answer; a fixed-point iteration gives the number of ticks.
#include "core/profile.h"
#include "board.h"
#include "goals.h"
#include "programs/figures.h"
#include "programs/model.h"
#include "programs/programs.h"
#include "programs/sweep_calls.h"
#include "programs/sweep_isr.h"
#include "programs/text.h"

#define PRIORITY 20
#define LEAD_STEP 64 // distance between the instants at which the tick interrupts the longest call
#define LEAD_FIRST 60
#define PAIRS 9500      // pairs of instants of two lines in each call
#define PAIRS_ALL 90000 // with `all`: more than a million over all calls
#define CALLS_MAX 64
#define FIXED_POINT_ROUNDS_MAX 100

static struct worst masked, closed, tick;
static uint32_t isr_base, isr_found, ist_found, masking_most, longest_closed;
// Both lines are swept through these two calls, or through all calls. Calls that idle are left out, because a sweep would try
// each instant of a millisecond of idling.
static const struct sweep_call *longest, *masking;

static void measure_calls(void)
{
    for (unsigned i = 0; i < sweep_call_count; i++) {
        const struct sweep_call *call = &sweep_calls[i];
        struct sweep sweep;
        sweep_begin(&sweep, call->name);
        sweep_call(&sweep, call, 0);
        if (i == 0) // the empty call
            isr_base = sweep.isr_least;
        if (sweep.isr.value > isr_found)
            isr_found = sweep.isr.value;
        if (sweep.ist.value > ist_found)
            ist_found = sweep.ist.value;
        sweep.isr.value -= sweep.isr_least;
        if (!call->idles && !text_begins(call->name, "tick") && sweep.isr.value > masking_most) {
            masking_most = sweep.isr.value;
            masking = call;
        }
        worst_update(&masked, &sweep.isr);
        bool ticks = text_begins(call->name, "tick");
        if (!ticks && !call->idles && sweep.closed.value > longest_closed) {
            longest_closed = sweep.closed.value;
            longest = call;
        }
        sweep.ist.value -= sweep.ist_least;
        worst_update(ticks ? &tick : &closed, ticks ? &sweep.ist : &sweep.closed);
    }
}

// The tick comes at every LEAD_STEP-th instruction of the longest call, the stimulus at every one.
static uint32_t measure_with_tick(void)
{
    struct sweep sweep;
    sweep_begin(&sweep, "longest-call-with-tick");
    uint32_t from = stamp();
    if (longest->prepare != NULL)
        longest->prepare();
    longest->run();
    if (longest->restore != NULL)
        longest->restore();
    uint32_t length = stamp() - from;
    sweep_calls_wake_at_ticks(true);
    for (uint32_t lead = LEAD_FIRST; lead < LEAD_FIRST + length; lead += LEAD_STEP)
        sweep_call(&sweep, longest, lead);
    sweep_calls_wake_at_ticks(false);
    sweep_print(&sweep);
    return sweep.ist.value;
}

static void worst_print(const char *letter, const char *what, const struct worst *worst)
{
    uint64_t offset = 0;
    const char *owner = symbol_name(worst->where, &offset);
    NKDbgPrintfW("model %s %u %s, owner %s+0x%lx in %s\n", letter, worst->value, what, owner, offset, worst->call);
}

bool prediction_print(const char *name, uint32_t predicted, uint32_t found)
{
    bool holds = predicted >= found, tight = predicted * 10 <= found * PREDICTION_TIMES_10;
    NKDbgPrintfW("predict %s %u found %u ratio %u.%02u %s\n", name, predicted, found, predicted / found,
                 predicted * 100 / found % 100,
                 !holds  ? "FAILS"
                 : tight ? "holds"
                         : "holds, but is more than " PREDICTION_TIMES " times what was found");
    return holds && tight;
}

uint32_t fixed_point(uint32_t base, uint32_t cost)
{
    uint32_t period = (uint32_t)clock_tick_counts(), window = base;
    for (unsigned i = 0; i < FIXED_POINT_ROUNDS_MAX; i++) {
        uint32_t next = base + (window + period - 1) / period * cost;
        if (next == window)
            break;
        window = next;
    }
    return window;
}

// The calls that both lines are swept through: all except those that idle or are about the tick. Returns their number.
static unsigned calls_all(const struct sweep_call *calls[CALLS_MAX])
{
    unsigned count = 0;
    for (unsigned i = 0; i < sweep_call_count && count < CALLS_MAX; i++)
        if (sweep_calls[i].instants == 0)
            calls[count++] = &sweep_calls[i];
    return count;
}

// The program model. The paper's worst case for the IST is an interrupt during a kernel call, which must end first. `model all`
// tries every call with two lines.
int model_run(int count, char **arguments)
{
    bool all = count > 1 && text_equal(arguments[1], "all");
    CeSetThreadPriority(GetCurrentThread(), PRIORITY);
    CeSetThreadQuantum(GetCurrentThread(), 0);
    if (!sweep_init())
        return 1;
    sweep_calls_init();
    measure_calls();
    uint32_t ist_found_with_tick = measure_with_tick(), isr_exit, schedule;
    sweep_closed(&isr_exit, &schedule);
    sweep_end();
    NKDbgPrintfW("model in executed instructions; ISR of %u\n", SWEEP_ISR_LENGTH);
    worst_print("A", "interrupts off", &masked);
    NKDbgPrintfW("model B %u dispatch to the ISR\n", isr_base);
    NKDbgPrintfW("model C %u ISR exit, to a kernel call\n", isr_exit);
    worst_print("L", "longest kernel call", &closed);
    NKDbgPrintfW("model M %u schedule, from the call's end to the IST\n", schedule);
    worst_print("tick", "that an interrupt's thread waits for it, its ISR included", &tick);
    uint32_t start_isr = masked.value + isr_base;
    uint32_t start_ist = start_isr + SWEEP_ISR_LENGTH + isr_exit + closed.value + schedule;
    bool good = prediction_print("isr-start A+B", start_isr, isr_found);
    good &= prediction_print("ist-start A+B+ISR+C+L+M", start_ist, ist_found);
    good &= prediction_print("ist-start fixed-point", fixed_point(start_ist, tick.value), ist_found_with_tick);
    struct letters letters = {.a = masked.value, .c = isr_exit, .l = closed.value, .m = schedule};
    const struct sweep_call *calls[CALLS_MAX] = {longest, masking};
    good &= model_lines(&letters, calls, all ? calls_all(calls) : 2, all ? PAIRS_ALL : PAIRS);
    NKDbgPrintfW("model: %s\n",
                 good ? "all predictions hold within " PREDICTION_TIMES " times" : "a prediction is wrong or wide");
    return !good;
}
