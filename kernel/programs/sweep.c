// SPDX-License-Identifier: MIT OR Apache-2.0
// The exhaustive sweep: for every instruction of every call, one run in which an interrupt becomes due at that instruction. The
// ISR's delay beyond the minimum is the remaining time with interrupts disabled. The interrupt thread's delay is the remaining
// time without preemption. Because all instants are tried, the largest delay is the exact maximum.
#include "programs/sweep.h"

#include "core/call.h"
#include "port.h"
#include "programs/figures.h"
#include "programs/stimulus.h"
#include "programs/sweep_isr.h"

#define UNITS_FIRST 2 // with this delay the interrupt is due before the call begins
#define LENGTH_MAX 65536
#define ANSWER_MAX 20000  // rounds of waiting for an answer
#define BEYOND 40         // instants tried beyond the undisturbed call's length: an interrupted call may last longer
#define IDLE_UNITS 300000 // three ticks
#define IST_PRIORITY 0

static HANDLE event, woken;
static volatile uint32_t ist_at, answers;
static volatile bool wakes;
static uint8_t met[LENGTH_MAX / 8];

void sweep_woken(void)
{
    if (wakes)
        SetEvent(woken);
}

static DWORD ist_main(LPVOID unused)
{
    (void)unused;
    while (WaitForSingleObject(event, INFINITE) == WAIT_OBJECT_0) {
        ist_at = stamp();
        answers++;
        InterruptDone(SYSINTR_SWEEP);
        sweep_woken();
    }
    return 1;
}

void worst_update(struct worst *worst, const struct worst *other)
{
    if (other->value > worst->value)
        *worst = *other;
}

static void delay_add(struct worst *worst, uint32_t due, uint32_t at, const char *call)
{
    if (at - due <= worst->value)
        return;
    worst->value = at - due;
    worst->where = sweep_isr_interrupted;
    worst->call = call;
    heavy_read(due, at, worst->heavy);
}

// Counts the instants in a row at which the gate is closed. While the gate stays closed, every later instant is nearer
// to the opening of the gate, so the delays shrink. If a delay grows, the call has handled a pending interrupt between
// two steps, and the count starts again.
static void closed_add(struct sweep *sweep, uint32_t delay)
{
    bool closed = (sweep_isr_gate & ~GATE_OPEN) > 1; // the ISR itself has closed the gate once
    bool passed = sweep->may_pass && delay > sweep->delay_before;
    sweep->delay_before = delay;
    sweep->closed_now = !closed ? 0 : passed ? 1 : sweep->closed_now + 1;
    worst_update(
        &sweep->closed,
        &(struct worst){.value = sweep->closed_now, .where = sweep_isr_interrupted, .call = sweep->call, .heavy = "-"});
}

static void sweep_add(struct sweep *sweep, uint32_t due)
{
    sweep->runs++;
    sweep->ist_last = ist_at - due;
    if (sweep_isr_at - due < sweep->isr_least)
        sweep->isr_least = sweep_isr_at - due;
    if (ist_at - due < sweep->ist_least)
        sweep->ist_least = ist_at - due;
    delay_add(&sweep->isr, due, sweep_isr_at, sweep->call);
    delay_add(&sweep->ist, due, ist_at, sweep->call);
    closed_add(sweep, ist_at - due);
}

// Moves the tick beyond the call, so that the delays are the call's; the tick has its own sweeps.
static void call_prepare(const struct sweep_call *call, uint32_t tick_lead)
{
    clock_restart((uint32_t)clock_tick_counts());
    if (call->prepare != NULL)
        call->prepare();
    if (tick_lead != 0)
        clock_restart(tick_lead);
}

static void call_restore(const struct sweep_call *call)
{
    if (call->restore != NULL)
        call->restore();
}

static uint32_t call_length(const struct sweep_call *call)
{
    call_prepare(call, 0);
    uint32_t from = stamp();
    call->run();
    uint32_t length = stamp() - from;
    call_restore(call);
    return call->instants != 0 ? call->instants : length;
}

// One run: the interrupt becomes due `instant` instructions after the earliest possible time. Returns the number of the call's
// instruction at which it was due; the first is 1.
static int32_t sweep_once(struct sweep *sweep, const struct sweep_call *call, uint32_t instant, uint32_t tick_lead)
{
    call_prepare(call, tick_lead);
    uint32_t before = answers;
    uint32_t due = stimulus_arm(UNITS_FIRST + instant / UNIT_INSTRUCTIONS);
    stimulus_padding(UNIT_INSTRUCTIONS - 1 - instant % UNIT_INSTRUCTIONS);
    uint32_t from = stamp();
    call->run();
    for (unsigned i = 0; i < ANSWER_MAX && answers == before; i++)
        ;
    if (answers == before + 1)
        sweep_add(sweep, due);
    else
        sweep->lost++;
    call_restore(call);
    return (int32_t)(due - from);
}

static void instant_meet(struct sweep *sweep, int32_t at)
{
    if (at < 1 || (uint32_t)at >= sweep->length || met[at / 8] >> at % 8 & 1)
        return;
    met[at / 8] |= (uint8_t)(1 << at % 8);
    sweep->covered++;
}

void sweep_begin(struct sweep *sweep, const char *name)
{
    *sweep = (struct sweep){.call = name, .isr_least = UINT32_MAX, .ist_least = UINT32_MAX};
}

void sweep_call(struct sweep *sweep, const struct sweep_call *call, uint32_t tick_lead)
{
    uint32_t length = call_length(call);
    sweep->length = length < LENGTH_MAX ? length : LENGTH_MAX;
    sweep->covered = sweep->closed_now = 0;
    sweep->may_pass = call->instants == 0; // a tick has no steps: interrupts wait for its end
    __builtin_memset(met, 0, sizeof met);
    int32_t at = 0;
    for (uint32_t instant = 0; at < (int32_t)(sweep->length + BEYOND); instant++) {
        at = sweep_once(sweep, call, instant, tick_lead);
        instant_meet(sweep, at);
    }
}

void sweep_call_in_steps(struct sweep *sweep, const struct sweep_call *call, uint32_t step, uint32_t tick_lead)
{
    sweep->length = call_length(call);
    for (uint32_t instant = 0; instant < sweep->length; instant += step) {
        uint32_t worst = sweep->ist.value;
        sweep_once(sweep, call, instant, tick_lead);
        if (sweep->ist_last + step <= worst || instant == 0)
            continue;
        for (uint32_t before = instant - step + 1; before < instant; before++)
            sweep_once(sweep, call, before, tick_lead);
    }
}

// An interrupt must have met every instruction, from the first one to the last one before the final stamp.
bool sweep_is_whole(const struct sweep *sweep)
{
    return sweep->lost == 0 && sweep->covered == sweep->length - 1;
}

void sweep_closed(uint32_t *isr_exit, uint32_t *schedule)
{
    SleepTillTick(); // this thread floats now; when the other wakes, this one must enter the queue, which takes longer
    kernel_enter();
    line_interrupt(LINE_1);
    uint32_t back = stamp();
    kernel_leave();
    *isr_exit = back - (sweep_isr_at + SWEEP_ISR_LENGTH);
    *schedule = ist_at - back;
}

void sweep_idle_until_woken(void)
{
    wakes = true;
    stimulus_arm(IDLE_UNITS);
    WaitForSingleObject(woken, INFINITE);
    wakes = false;
}

void sweep_print(const struct sweep *sweep)
{
    NKDbgPrintfW(
        "sweep %s instants %u covered %u of %u lost %u isr %u to %u at %s ist %u to %u at %s closed %u at %s\n",
        sweep->call, sweep->runs, sweep->covered, sweep->length - 1, sweep->lost, sweep->isr_least, sweep->isr.value,
        symbol_name(sweep->isr.where, NULL), sweep->ist_least, sweep->ist.value, symbol_name(sweep->ist.where, NULL),
        sweep->closed.value, symbol_name(sweep->closed.where, NULL));
    if (!sweep_is_whole(sweep))
        NKDbgPrintfW("sweep %s: NOT WHOLE\n", sweep->call);
}

static HANDLE ist;

bool sweep_init(void)
{
    if (!stimulus_init()) {
        NKDbgPrintfW("SKIP sweep: this machine has no " STIMULUS_TIMER "\n");
        return false;
    }
    event = CreateEvent(NULL, FALSE, FALSE, NULL);
    woken = CreateEvent(NULL, FALSE, FALSE, NULL);
    InterruptInitialize(SYSINTR_SWEEP, event, NULL, 0);
    HookInterrupt(LINE_1, sweep_isr);
    ist = figure_thread(ist_main, IST_PRIORITY);
    return true;
}

// The threads of the calls stay, because the machine only prints from here on.
void sweep_end(void)
{
    HookInterrupt(LINE_1, NULL);
    InterruptDisable(SYSINTR_SWEEP);
    SuspendThread(ist);
}
