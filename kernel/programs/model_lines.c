// SPDX-License-Identifier: MIT OR Apache-2.0
// The latency model on two lines: what N interrupts of the other line add, N * (B + ISR + C), and where their threads
// are higher, all that they take. Line 7 comes once, line 5 twice, LATER_UNITS apart: both within one kernel call become
// one event.
#include "core/fast.h"
#include "core/profile.h"
#include "programs/figures.h"
#include "programs/model.h"
#include "programs/stimulus.h"
#include "programs/sweep.h"
#include "x86/parallel.h"

#define UNITS_7 2
#define UNITS_5 9 // due when all timers are armed
#define LATER_UNITS 30
#define LENGTH_BEYOND 40
#define ANSWER_MAX 20000
#define ARRIVALS_5 2
#define STEP_OF_SHORT 3

struct line {
    DWORD sysintr;
    HANDLE event, thread;
    volatile uint32_t isr_at[ARRIVALS_5], ist_at[ARRIVALS_5], isrs, ists;
};

static struct line line_7 = {.sysintr = SYSINTR_FIRMWARE + PARALLEL_1_IRQ};
static struct line line_5 = {.sysintr = SYSINTR_FIRMWARE + PARALLEL_2_IRQ};
static uint32_t isr_least, isr_7_most, ist_7_most, isr_5_most, ist_5_most, runs, lost;

static DWORD isr_7(void)
{
    line_7.isr_at[line_7.isrs++ % ARRIVALS_5] = stamp();
    return SYSINTR_FIRMWARE + PARALLEL_1_IRQ;
}

static DWORD isr_5(void)
{
    line_5.isr_at[line_5.isrs++ % ARRIVALS_5] = stamp();
    return SYSINTR_FIRMWARE + PARALLEL_2_IRQ;
}

static DWORD ist_main(LPVOID argument)
{
    struct line *line = argument;
    while (WaitForSingleObject(line->event, INFINITE) == WAIT_OBJECT_0) {
        line->ist_at[line->ists++ % ARRIVALS_5] = stamp();
        InterruptDone(line->sysintr);
        sweep_woken();
    }
    return 1;
}

static void line_start(struct line *line, int irq, ISR isr, int priority)
{
    line->event = CreateEvent(NULL, FALSE, FALSE, NULL);
    InterruptInitialize(line->sysintr, line->event, NULL, 0);
    HookInterrupt(irq, isr);
    line->thread = CreateThread(NULL, 0, ist_main, line, CREATE_SUSPENDED, NULL);
    CeSetThreadPriority(line->thread, priority);
    CeSetThreadQuantum(line->thread, 0);
    ResumeThread(line->thread);
}

static void line_stop(struct line *line, int irq)
{
    HookInterrupt(irq, NULL);
    InterruptDisable(line->sysintr);
    SuspendThread(line->thread);
}

static void most_update(uint32_t *most, uint32_t due, uint32_t at)
{
    if (at - due > *most)
        *most = at - due;
}

// Line 7 becomes due `instant` instructions after the earliest possible one, line 5 `other` after its own.
static void run_once(const struct sweep_call *call, uint32_t instant, uint32_t other)
{
    clock_restart((uint32_t)(counter_hz / 1000 * profile.tick_ms));
    if (call->prepare != NULL)
        call->prepare();
    line_7.isrs = line_7.ists = line_5.isrs = line_5.ists = 0;
    uint32_t units = UNITS_5 + other / UNIT_INSTRUCTIONS;
    uint32_t due_later = stimulus_arm_timer(STIMULUS_LINE_5 + 1, units + LATER_UNITS);
    uint32_t due_5 = stimulus_arm_timer(STIMULUS_LINE_5, units);
    stimulus_padding(UNIT_INSTRUCTIONS - 1 - other % UNIT_INSTRUCTIONS);
    uint32_t due_7 = stimulus_arm(UNITS_7 + instant / UNIT_INSTRUCTIONS);
    stimulus_padding(UNIT_INSTRUCTIONS - 1 - instant % UNIT_INSTRUCTIONS);
    call->run();
    for (unsigned i = 0; i < ANSWER_MAX && (line_7.ists < 1 || line_5.isrs < ARRIVALS_5); i++)
        ;
    runs++;
    lost += line_7.ists != 1 || line_5.isrs != ARRIVALS_5 || line_5.ists == 0;
    if (line_7.isr_at[0] - due_7 < isr_least)
        isr_least = line_7.isr_at[0] - due_7;
    most_update(&isr_7_most, due_7, line_7.isr_at[0]);
    most_update(&ist_7_most, due_7, line_7.ist_at[0]);
    most_update(&isr_5_most, due_5, line_5.isr_at[0]);
    most_update(&isr_5_most, due_later, line_5.isr_at[1]);
    most_update(&ist_5_most, due_5, line_5.ist_at[0]);
    if (call->restore != NULL)
        call->restore();
}

// What an interrupt takes from a kernel call, and, the gate open, with its thread.
static uint32_t cost_closed(uint32_t vector)
{
    kernel_enter();
    uint32_t from = stamp();
    trigger(vector);
    uint32_t to = stamp();
    kernel_leave();
    return to - from;
}

static uint32_t cost_open(uint32_t vector)
{
    uint32_t from = stamp();
    trigger(vector);
    return stamp() - from;
}

// What the lower line's interrupts, delivered first, add to the way from the call's end to the higher line's thread.
static uint32_t cost_delivered(void)
{
    uint32_t way[2];
    for (unsigned both = 0; both < 2; both++) {
        SleepTillTick();
        kernel_enter();
        line_7.ists = 0;
        if (both)
            trigger(VECTOR_LINE_5);
        trigger(VECTOR_LINE_7);
        uint32_t from = stamp();
        kernel_leave();
        way[both] = line_7.ist_at[0] - from;
    }
    return way[1] > way[0] ? way[1] - way[0] : 0;
}

static bool predictions_print(const struct letters *x)
{
    uint32_t own_5 = cost_closed(VECTOR_LINE_5), own_7 = cost_closed(VECTOR_LINE_7), all_7 = cost_open(VECTOR_LINE_7);
    uint32_t delivered = cost_delivered();
    uint32_t start_7 = (x->a > x->c ? x->a : x->c) + isr_least, start_5 = x->a + isr_least + own_7;
    uint32_t rest = own_5 - isr_least + x->l + x->m; // of the ISR, its exit, and what follows
    NKDbgPrintfW("model lines: B %u, B+ISR+C %u and %u, with the higher thread %u, delivery of the lower %u\n",
                 isr_least, own_7, own_5, all_7, delivered);
    bool good = prediction_print("lines isr-start-7 A+B", start_7, isr_7_most);
    good &= prediction_print("lines isr-start-5 A+B+N*(B+ISR+C)", start_5, isr_5_most);
    good &= prediction_print("lines ist-start-7 A+B+ISR+C+L+M+N*(B+ISR+C)",
                             start_7 + rest + ARRIVALS_5 * (own_5 + delivered), ist_7_most);
    good &= prediction_print("lines ist-start-5 A+B+ISR+C+L+M+N*all", start_5 + rest + all_7 + own_5 + delivered,
                             ist_5_most);
    return good;
}

static void call_sweep(const struct sweep_call *call, uint32_t step)
{
    uint32_t before = runs;
    if (call->prepare != NULL)
        call->prepare();
    uint32_t from = stamp();
    call->run();
    uint32_t length = stamp() - from + LENGTH_BEYOND;
    if (call->restore != NULL)
        call->restore();
    for (uint32_t instant = 0; instant < length; instant++)
        for (uint32_t other = 0; other < length; other += step)
            run_once(call, instant, other);
    NKDbgPrintfW("model lines: %u pairs of instants of %s\n", runs - before, call->name);
}

bool model_lines(const struct letters *letters, const struct sweep_call *const calls[2], uint32_t step)
{
    if (!stimulus_line_5_init()) {
        NKDbgPrintfW("SKIP model lines: the HPET's timers have no messages of their own (hpet.msi=on)\n");
        return true;
    }
    line_start(&line_7, PARALLEL_1_IRQ, isr_7, 0);
    line_start(&line_5, PARALLEL_2_IRQ, isr_5, 1);
    isr_least = UINT32_MAX;
    runs = lost = isr_7_most = ist_7_most = isr_5_most = ist_5_most = 0;
    call_sweep(calls[0], step);
    call_sweep(calls[1], STEP_OF_SHORT);
    NKDbgPrintfW("model lines: %u pairs in all, %u lost\n", runs, lost);
    bool good = predictions_print(letters) && lost == 0;
    line_stop(&line_7, PARALLEL_1_IRQ);
    line_stop(&line_5, PARALLEL_2_IRQ);
    return good;
}
