// SPDX-License-Identifier: MIT OR Apache-2.0
// Figures of interrupts: to the ISR, to its thread in every state of the system, and back.
#include "programs/figures.h"
#include "programs/figures_all.h"
#include "programs/stimulus.h"

#define SYSINTR_FIGURE (SYSINTR_FIRMWARE + LINE_1)
#define IDLE_UNITS 1000 // after this time the idle thread has certainly halted
#define EQUALS 3

static struct figure interrupt_isr = {.name = "interrupt-isr", .goal = GOAL(15, 28), .peer = PEER(16)};
static struct figure isr_interrupted = {.name = "isr-interrupted", .goal = GOAL(20, 26), .peer = PEER(25)};
static struct figure interrupt_ist = {.name = "interrupt-ist", .goal = GOAL(115, 150), .peer = PEER(152)};
static struct figure interrupt_ist_woken = {.name = "interrupt-ist-woken", .goal = GOAL(115, 150), .peer = PEER(152)};
static struct figure interrupt_ist_crowd = {
    .name = "interrupt-ist-woken-crowd", .goal = GOAL(115, 150), .peer = PEER(152)};
static struct figure interrupt_ist_idle = {.name = "interrupt-ist-idle", .goal = GOAL(125, 150), .peer = PEER(152)};
static struct figure ist_interrupted = {.name = "ist-interrupted", .goal = GOAL(83, 100), .peer = PEER(129)};
static struct figure done_in_service = {.name = "interrupt-done"};

static volatile uint32_t started, ended;
static HANDLE event, idle_over;

static DWORD isr_stamps_first(void)
{
    ended = stamp();
    return SYSINTR_NOP;
}

static DWORD isr_stamps_last(void)
{
    started = stamp();
    return SYSINTR_NOP;
}

static DWORD isr_wakes(void)
{
    return SYSINTR_FIGURE;
}

static void measure_isr(void)
{
    SleepTillTick(); // all samples of a group fit between two ticks
    HookInterrupt(LINE_1, isr_stamps_first);
    for (unsigned i = 0; i < FIGURE_REPEATS; i++) {
        uint32_t from = stamp();
        line_interrupt(LINE_1);
        figure_add(&interrupt_isr, from, ended);
    }
    HookInterrupt(LINE_1, isr_stamps_last);
    for (unsigned i = 0; i < FIGURE_REPEATS; i++) {
        line_interrupt(LINE_1);
        uint32_t to = stamp();
        figure_add(&isr_interrupted, started, to);
    }
}

static DWORD ist_main(LPVOID unused)
{
    (void)unused;
    for (unsigned i = 0; i < FIGURE_REPEATS; i++) {
        started = stamp();
        WaitForSingleObject(event, INFINITE);
        ended = stamp();
        InterruptDone(SYSINTR_FIGURE);
        uint32_t to = stamp();
        figure_add(&done_in_service, ended, to);
        if (idle_over != NULL)
            SetEvent(idle_over);
    }
    return 0;
}

// The interrupted thread is in the ready queue, like one that was preempted or waited for its turn.
static void measure_settled(void)
{
    HANDLE thread = figure_thread(ist_main, FIGURE_HIGH);
    SleepTillTick();
    Sleep(0);
    for (unsigned i = 0; i < FIGURE_REPEATS; i++) {
        uint32_t from = stamp();
        line_interrupt(LINE_1);
        uint32_t to = stamp();
        if (i > 0) // before the first sample, the thread was in no queue yet
            figure_add(&interrupt_ist, from, ended);
        if (i + 1 < FIGURE_REPEATS)
            figure_add(&ist_interrupted, started, to);
    }
    figure_thread_join(thread);
}

// This thread was woken last and above all others, so it is in no queue until another one is woken above it.
static void measure_woken(struct figure *figure)
{
    HANDLE thread = figure_thread(ist_main, FIGURE_HIGH);
    for (unsigned i = 0; i < FIGURE_REPEATS; i++) {
        SleepTillTick();
        uint32_t from = stamp();
        line_interrupt(LINE_1);
        figure_add(figure, from, ended);
    }
    figure_thread_join(thread);
}

static volatile bool equals_end;

static DWORD equal_main(LPVOID unused)
{
    (void)unused;
    while (!equals_end)
        SleepTillTick();
    return 0;
}

// Measures interrupt-ist-woken-crowd: the tick has also woken other threads of the measured thread's priority.
static void measure_woken_among_equals(void)
{
    HANDLE equals[EQUALS];
    equals_end = false;
    for (unsigned i = 0; i < EQUALS; i++)
        equals[i] = figure_thread(equal_main, FIGURE_LOW);
    measure_woken(&interrupt_ist_crowd);
    equals_end = true;
    for (unsigned i = 0; i < EQUALS; i++)
        figure_thread_join(equals[i]);
}

// If the host is busy, the emulator may jump to the next timer as the CPU halts, before it has counted the last
// instructions. The emulator's clock is then ahead by at most the instructions between setting that timer and the halt.
// The kernel executes the same instructions each time, so a difference up to this size comes from the emulator.
#define JUMPED_TOO_FAR 8

static void without_jumps(struct figure *figure)
{
    if (figure->most - figure->least <= JUMPED_TOO_FAR)
        figure->most = figure->least;
}

// Measured from the instant at which the timer's interrupt is due, when the CPU is halted.
static void measure_idle(void)
{
    if (!stimulus_init()) {
        NKDbgPrintfW("SKIP interrupt-ist-idle: this machine has no " STIMULUS_TIMER "\n");
        return;
    }
    idle_over = CreateEvent(NULL, FALSE, FALSE, NULL);
    HANDLE thread = figure_thread(ist_main, FIGURE_HIGH);
    for (unsigned i = 0; i < FIGURE_REPEATS; i++) {
        uint32_t due = stimulus_arm(IDLE_UNITS);
        WaitForSingleObject(idle_over, INFINITE);
        figure_add(&interrupt_ist_idle, due, ended);
    }
    without_jumps(&interrupt_ist_idle);
    figure_thread_join(thread);
    CloseHandle(idle_over);
    idle_over = NULL;
}

bool figures_of_interrupts(void)
{
    measure_isr();
    event = CreateEvent(NULL, FALSE, FALSE, NULL);
    InterruptInitialize(SYSINTR_FIGURE, event, NULL, 0);
    HookInterrupt(LINE_1, isr_wakes);
    measure_settled();
    measure_woken(&interrupt_ist_woken);
    measure_woken_among_equals();
    measure_idle();
    HookInterrupt(LINE_1, NULL);
    InterruptDisable(SYSINTR_FIGURE);
    CloseHandle(event);
    bool met = figure_print(&interrupt_isr);
    met &= figure_print(&interrupt_ist);
    met &= figure_print(&interrupt_ist_woken);
    met &= figure_print(&interrupt_ist_crowd);
    met &= figure_print(&interrupt_ist_idle);
    met &= figure_print(&isr_interrupted);
    met &= figure_print(&ist_interrupted);
    met &= figure_print(&done_in_service);
    return met;
}
