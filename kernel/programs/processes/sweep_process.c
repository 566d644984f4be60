// SPDX-License-Identifier: MIT OR Apache-2.0
// Interrupts a process's requests to the kernel at every instruction. It measures how long each request disables
// interrupts, and how long an interrupt's thread waits, also with a tick and its timeout inside. It checks the latency
// model's predictions for these. In long requests it tries every 16th instant, and the instants in between that could
// have a longer delay.
#include "process/processes.h"
#include "process/registry.h"
#include "process/threads.h"
#include "goals.h"
#include "programs/figures.h"
#include "programs/model.h"
#include "programs/processes/processes.h"
#include "programs/sweep.h"
#include "programs/sweep_isr.h"
#include "programs/text.h"

#define OWN_PRIORITY 20 // lower than the process's threads
#define WAIT_MS 100
#define STEP 16
#define TICK_FIRST 60
#define TICKS_MOST 48 // most ticks for one operation except process-tick; twice as many with `all`
#define TICK_STEP 4   // instructions between ticks in process-tick; 1 with `all`
#define SYSINTR_PERMITTED 45
#define MASKED_GOAL GOAL(24, 40)
#define HELD_GOAL GOAL(250, 300)
#define HELD_TICK_GOAL GOAL(500, 600)

void switch_from_process(struct thread *from, struct thread *to);

static bool all;
static HANDLE go, done;
static DWORD operation;

// Lets the process make the request. Its thread is above the sweeping one.
static void ask(void)
{
    SetEvent(go);
    WaitForSingleObject(done, WAIT_MS);
}

static const struct {
    const char *name;
    bool steps; // the operation is long
} operations[] = {
    {"process-nothing", false},
    {"process-tick", false}, // this operation only computes
    {"process-SetEvent+Wait", false},
    {"process-WaitForMultipleObjects", false},
    {"process-CreateEvent-named", false},
    {"process-VirtualAlloc+Free", false},
    {"process-CreateFileMapping+View", false},
    {"process-LockPages", false},
    {"process-bad-pointers", false},
    {"process-interrupts", false},
    {"process-thread+page-faults", false},
    {"process-Suspend+ResumeThread", false},
    {"process-CallServer", false},
    {"process-locks-inheritance", false},
    {"process-TerminateThread", false},
    {"process-CreateProcess+Terminate", true},
    {NULL, false}, // creates the threads for the next operation
    {"process-chain-of-6-owners", false},
};
#define OPERATION_TICK 1
#define OPERATIONS (sizeof operations / sizeof operations[0])

static struct worst masked, held, closed, tick, held_with_tick;
static uint32_t isr_base, isr_found, ist_found, ist_found_with_tick, instants;
static bool whole;

static void found_add(struct sweep *sweep, struct worst *latest, uint32_t *wait)
{
    if (sweep->isr.value > isr_found)
        isr_found = sweep->isr.value;
    if (sweep->ist.value > *wait)
        *wait = sweep->ist.value;
    sweep->isr.value -= sweep->isr_least;
    sweep->ist.value -= sweep->ist_least;
    worst_update(&masked, &sweep->isr);
    worst_update(latest, &sweep->ist);
    instants += sweep->runs;
    whole &= sweep->lost == 0;
}

static void operation_sweep(const struct sweep_call *call, bool steps)
{
    struct sweep sweep;
    sweep_begin(&sweep, call->name);
    if (steps)
        sweep_call_in_steps(&sweep, call, STEP, 0);
    else
        sweep_call(&sweep, call, 0);
    if (!steps) {
        sweep_print(&sweep);
        whole &= sweep_is_whole(&sweep);
    }
    if (isr_base == 0)
        isr_base = sweep.isr_least;
    if (!steps)
        worst_update(&closed, &sweep.closed);
    found_add(&sweep, &held, &ist_found);
}

// A tick, with a timeout that it answers, comes during the call. In the call that only computes, the tick comes at
// every TICK_STEP-th instant, and the interrupt at each instant. In other calls, the tick comes at up to TICKS_MOST
// instants, and the interrupt in steps.
static void operation_sweep_with_tick(const struct sweep_call *call)
{
    struct sweep sweep;
    sweep_begin(&sweep, call->name);
    uint32_t from = stamp();
    call->run();
    bool every = operation == OPERATION_TICK;
    uint32_t length = stamp() - from;
    uint32_t step = every ? all ? 1 : TICK_STEP : length / (all ? 2 * TICKS_MOST : TICKS_MOST) + 1;
    sweep_calls_wake_at_ticks(true);
    for (uint32_t lead = TICK_FIRST; lead < TICK_FIRST + length; lead += step)
        sweep_call_in_steps(&sweep, call, every ? 1 : STEP, lead);
    sweep_calls_wake_at_ticks(false);
    NKDbgPrintfW("sweep %s with a tick at every %u: ist %u at %s\n", call->name, step, sweep.ist.value,
                 symbol_name(sweep.ist.where, NULL));
    found_add(&sweep, every ? &tick : &held_with_tick, &ist_found_with_tick);
}

static void operations_sweep(void)
{
    whole = true;
    for (operation = 0; operation < OPERATIONS; operation++) {
        SetEventData(go, operation);
        const struct sweep_call call = {.name = operations[operation].name, .run = ask};
        if (call.name == NULL) {
            ask();
            continue;
        }
        operation_sweep(&call, operations[operation].steps);
        if (!operations[operation].steps)
            operation_sweep_with_tick(&call);
    }
}

// The schedule M also includes the instructions of a process's thread before and after its switch.
static void closed_measure(uint32_t *isr_exit, uint32_t *schedule)
{
    switch_usual = switch_to = switch_from_process;
    sweep_closed(isr_exit, schedule);
    process_leave();
}

static bool model_print(void)
{
    uint32_t isr_exit, schedule;
    closed_measure(&isr_exit, &schedule);
    uint32_t start_isr = masked.value + isr_base;
    uint32_t start_ist = start_isr + SWEEP_ISR_LENGTH + isr_exit + closed.value + schedule;
    NKDbgPrintfW("model process A %u B %u C %u L %u M %u tick %u\n", masked.value, isr_base, isr_exit, closed.value,
                 schedule, tick.value);
    bool good = prediction_print("process-isr-start", start_isr, isr_found);
    good &= prediction_print("process-ist-start", start_ist, ist_found);
    good &= prediction_print("process-ist-start-fixed-point", fixed_point(start_ist, tick.value), ist_found_with_tick);
    return good;
}

static bool figures_print(void)
{
    bool met = worst_figure_print("process-masked-longest", &masked, MASKED_GOAL, 0, instants);
    met &= worst_figure_print("process-held-longest", &held, HELD_GOAL, 0, instants);
    met &= worst_figure_print("process-held-longest-tick", &held_with_tick, HELD_TICK_GOAL, 0, instants);
    return met;
}

int process_sweep_run(int count, char **arguments)
{
    all = count > 1 && text_equal(arguments[1], "all");
    CeSetThreadPriority(GetCurrentThread(), OWN_PRIORITY);
    CeSetThreadQuantum(GetCurrentThread(), 0);
    if (!processes_ready() || !sweep_init())
        return 1;
    go = CreateEvent(NULL, FALSE, FALSE, "calls-go");
    done = CreateEvent(NULL, FALSE, FALSE, "calls-done");
    struct process *process = process_begin("calls", "", 1ull << SYSINTR_PERMITTED);
    if (process == NULL || WaitForSingleObject(done, WAIT_MS) != WAIT_OBJECT_0)
        return 1;
    operations_sweep();
    bool good = model_print();
    good &= figures_print();
    sweep_end();
    process_end(process, 0);
    process_close(process);
    return !(good && whole);
}
