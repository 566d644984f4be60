// SPDX-License-Identifier: MIT OR Apache-2.0
// The latency model with two lines: N interrupts of the other line add N * (B + ISR + C), and the whole time of their
// thread if that thread has the higher priority. Line 7 interrupts once, line 5 twice, LATER_UNITS apart. Two
// interrupts within one kernel call set the event once.
#include "core/call.h"
#include "core/profile.h"
#include "programs/figures.h"
#include "programs/model.h"
#include "programs/stimulus.h"
#include "programs/sweep.h"

#define UNITS_7 2
#define UNITS_5 9 // line 5 is due when all timers are armed
#define LATER_UNITS 30
#define LENGTH_BEYOND 40
#define ANSWER_MAX 20000
#define ARRIVALS_5 2

struct line {
    DWORD sysintr;
    HANDLE event, thread;
    volatile uint32_t isr_at[ARRIVALS_5], ist_at[ARRIVALS_5], isrs, ists;
};

static struct line line_7 = {.sysintr = SYSINTR_FIRMWARE + LINE_1};
static struct line line_5 = {.sysintr = SYSINTR_FIRMWARE + LINE_2};
// The largest delay, the call in which it was found, and the instants of the two lines.
struct found {
    uint32_t delay, instant, other;
    const struct sweep_call *call;
};

static struct found isr_7_most, ist_7_most, isr_5_most, ist_5_most;
static uint32_t isr_least, runs, lost;

static DWORD isr_7(void)
{
    line_7.isr_at[line_7.isrs++ % ARRIVALS_5] = stamp();
    return SYSINTR_FIRMWARE + LINE_1;
}

static DWORD isr_5(void)
{
    line_5.isr_at[line_5.isrs++ % ARRIVALS_5] = stamp();
    return SYSINTR_FIRMWARE + LINE_2;
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

static void most_update(struct found *most, uint32_t due, uint32_t at, const struct found *now)
{
    if (at - due <= most->delay)
        return;
    *most = *now;
    most->delay = at - due;
}

// Line 7 becomes due `instant` instructions after its earliest possible time, line 5 `other` instructions after its
// own.
static void run_once(const struct sweep_call *call, uint32_t instant, uint32_t other)
{
    clock_restart((uint32_t)clock_tick_counts());
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
    const struct found now = {.instant = instant, .other = other, .call = call};
    most_update(&isr_7_most, due_7, line_7.isr_at[0], &now);
    most_update(&ist_7_most, due_7, line_7.ist_at[0], &now);
    most_update(&isr_5_most, due_5, line_5.isr_at[0], &now);
    most_update(&isr_5_most, due_later, line_5.isr_at[1], &now);
    most_update(&ist_5_most, due_5, line_5.ist_at[0], &now);
    if (call->restore != NULL)
        call->restore();
}

// The instructions that an interrupt adds to a kernel call. cost_open: with the gate open, so its thread's instructions
// are included.
static inline __attribute__((always_inline)) uint32_t cost_closed(unsigned irq)
{
    kernel_enter();
    uint32_t from = stamp();
    line_interrupt(irq);
    uint32_t to = stamp();
    kernel_leave();
    return to - from;
}

static inline __attribute__((always_inline)) uint32_t cost_open(unsigned irq)
{
    uint32_t from = stamp();
    line_interrupt(irq);
    return stamp() - from;
}

// The instructions that the lower line's interrupt, if delivered first, adds to the path from the call's end to the higher line's
// thread.
static uint32_t cost_delivered_before(void)
{
    uint32_t way[2];
    for (unsigned both = 0; both < 2; both++) {
        SleepTillTick();
        kernel_enter();
        line_7.ists = 0;
        if (both)
            line_interrupt(LINE_2);
        line_interrupt(LINE_1);
        uint32_t from = stamp();
        kernel_leave();
        way[both] = line_7.ist_at[0] - from;
    }
    return way[1] > way[0] ? way[1] - way[0] : 0;
}

// The delay from the gate's opening, measured by a thread above the lower line's thread.
static uint32_t opening(bool interrupted)
{
    kernel_enter();
    if (interrupted)
        line_interrupt(LINE_2);
    uint32_t from = stamp();
    kernel_leave();
    return stamp() - from;
}

// The same cost if the higher line's thread already runs and must open the gate at the end of its wait. Then the lower
// line's thread enters the ready queue. A further interrupt before that thread has run is held.
static uint32_t cost_delivered_behind(void)
{
    int earlier = CeGetThreadPriority(GetCurrentThread());
    CeSetThreadPriority(GetCurrentThread(), 0);
    uint32_t plain = opening(false), first = opening(true), held = opening(true);
    CeSetThreadPriority(GetCurrentThread(), earlier);
    return (first > held ? first : held) - plain;
}

static uint32_t cost_delivered(void)
{
    uint32_t before = cost_delivered_before(), behind = cost_delivered_behind();
    return before > behind ? before : behind;
}

static bool found_hold(const char *name, uint32_t predicted, const struct found *most)
{
    NKDbgPrintfW("model lines: found in %s, lines 7 and 5 at %u and %u\n", most->call->name, most->instant,
                 most->other);
    return prediction_print(name, predicted, most->delay);
}

static bool predictions_print(const struct letters *x)
{
    uint32_t own_5 = cost_closed(LINE_2), own_7 = cost_closed(LINE_1), all_7 = cost_open(LINE_1);
    uint32_t delivered = cost_delivered();
    uint32_t start_7 = (x->a > x->c ? x->a : x->c) + isr_least, start_5 = x->a + isr_least + own_7;
    uint32_t rest = own_5 - isr_least + x->l + x->m; // instructions of the ISR, its exit, and the rest
    NKDbgPrintfW("model lines: B %u, B+ISR+C %u and %u, with the higher thread %u, delivery of the lower %u\n",
                 isr_least, own_7, own_5, all_7, delivered);
    bool good = found_hold("lines isr-start-7 A+B", start_7, &isr_7_most);
    good &= found_hold("lines isr-start-5 A+B+N*(B+ISR+C)", start_5, &isr_5_most);
    good &= found_hold("lines ist-start-7 A+B+ISR+C+L+M+N*(B+ISR+C)", start_7 + rest + ARRIVALS_5 * (own_5 + delivered),
                       &ist_7_most);
    good &=
        found_hold("lines ist-start-5 A+B+ISR+C+L+M+N*all", start_5 + rest + all_7 + own_5 + delivered, &ist_5_most);
    return good;
}

// Tries every instant of the higher line with every `step`-th of the lower, starting one instruction later each time.
// So every instant of both lines is tried.
static void call_sweep(const struct sweep_call *call, uint32_t pairs)
{
    uint32_t before = runs;
    if (call->prepare != NULL)
        call->prepare();
    uint32_t from = stamp();
    call->run();
    uint32_t length = stamp() - from + LENGTH_BEYOND, step = 1 + length * length / pairs;
    if (call->restore != NULL)
        call->restore();
    for (uint32_t instant = 0; instant < length; instant++)
        for (uint32_t other = instant % step; other < length; other += step)
            run_once(call, instant, other);
    NKDbgPrintfW("model lines: %u pairs of instants of %s\n", runs - before, call->name);
}

bool model_lines(const struct letters *letters, const struct sweep_call *const *calls, unsigned count, uint32_t pairs)
{
    if (!stimulus_line_5_init()) {
        NKDbgPrintfW("SKIP model lines: " STIMULUS_NO_LINES "\n");
        return true;
    }
    line_start(&line_7, LINE_1, isr_7, 0);
    line_start(&line_5, LINE_2, isr_5, 1);
    isr_least = UINT32_MAX;
    isr_7_most = ist_7_most = isr_5_most = ist_5_most = (struct found){0};
    runs = lost = 0;
    for (unsigned i = 0; i < count; i++)
        call_sweep(calls[i], pairs);
    NKDbgPrintfW("model lines: %u pairs in all, %u lost\n", runs, lost);
    bool good = predictions_print(letters) && lost == 0;
    line_stop(&line_7, LINE_1);
    line_stop(&line_5, LINE_2);
    return good;
}
