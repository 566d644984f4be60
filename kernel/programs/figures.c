// SPDX-License-Identifier: MIT OR Apache-2.0
// The figures of the kernel's paths. Each is taken FIGURE_REPEATS times; the printed one is the largest.
#include "programs/figures.h"

#include "programs/programs.h"
#include "programs/sweep.h"
#include "x86/parallel.h"

#define SYSINTR_FIGURE (SYSINTR_FIRMWARE + 7)
#define HIGH 10
#define LOW 20 // of the thread that measures

static volatile uint32_t started, ended;
static struct figure interrupt_isr, isr_interrupted, interrupt_ist, interrupt_ist_floating, ist_interrupted, yield_switch, set_switch;
static struct figure set_free, wait_satisfied, mutex_pair, section_pair, done_in_service, wait_switch, semaphore_pair;
static struct figure masked, held;
static HANDLE event, other_event, mutex;

HANDLE figure_thread(LPTHREAD_START_ROUTINE start, int priority)
{
    HANDLE thread = CreateThread(NULL, 0, start, NULL, CREATE_SUSPENDED, NULL);
    CeSetThreadPriority(thread, priority);
    CeSetThreadQuantum(thread, 0);
    ResumeThread(thread);
    return thread;
}

// ---- interrupts ----

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

static DWORD isr_wakes(void) { return SYSINTR_FIGURE; }

static void measure_interrupt_isr(void)
{
    HookInterrupt(PARALLEL_1_IRQ, isr_stamps_first);
    for (unsigned i = 0; i < FIGURE_REPEATS; i++) {
        uint32_t from = stamp();
        trigger(VECTOR_LINE_7);
        figure_add(&interrupt_isr, ended - from);
    }
}

static void measure_isr_interrupted(void)
{
    HookInterrupt(PARALLEL_1_IRQ, isr_stamps_last);
    for (unsigned i = 0; i < FIGURE_REPEATS; i++) {
        trigger(VECTOR_LINE_7);
        uint32_t to = stamp();
        figure_add(&isr_interrupted, to - started);
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
        figure_add(&done_in_service, to - ended);
    }
    return 0;
}

static void measure_ist(void)
{
    event = CreateEvent(NULL, FALSE, FALSE, NULL);
    InterruptInitialize(SYSINTR_FIGURE, event, NULL, 0);
    HookInterrupt(PARALLEL_1_IRQ, isr_wakes);
    HANDLE thread = figure_thread(ist_main, HIGH);
    for (unsigned i = 0; i < FIGURE_REPEATS; i++) {
        uint32_t from = stamp();
        trigger(VECTOR_LINE_7);
        uint32_t to = stamp();
        figure_add(&interrupt_ist, ended - from);
        if (i + 1 < FIGURE_REPEATS)
            figure_add(&ist_interrupted, to - started);
    }
    WaitForSingleObject(thread, INFINITE);
    CloseHandle(thread);
    thread = figure_thread(ist_main, HIGH);
    for (unsigned i = 0; i < FIGURE_REPEATS; i++) {
        SleepTillTick(); // woken last and above all others, this thread floats until another is woken above it
        uint32_t from = stamp();
        trigger(VECTOR_LINE_7);
        figure_add(&interrupt_ist_floating, ended - from);
    }
    WaitForSingleObject(thread, INFINITE);
    CloseHandle(thread);
    HookInterrupt(PARALLEL_1_IRQ, NULL);
    InterruptDisable(SYSINTR_FIGURE);
    CloseHandle(event);
}

// ---- threads ----

static volatile unsigned yielders;

// Two threads of one priority: each stamp before Sleep(0) is followed by the other's stamp after it.
static DWORD yielder_main(LPVOID unused)
{
    (void)unused;
    yielders++;
    Sleep(0);
    for (unsigned i = 0; i < FIGURE_REPEATS && yielders == 2; i++) {
        started = stamp();
        Sleep(0);
        ended = stamp();
        if (yielders == 2)
            figure_add(&yield_switch, ended - started);
    }
    yielders--;
    return 0;
}

static void measure_yield(void)
{
    HANDLE a = figure_thread(yielder_main, LOW), b = figure_thread(yielder_main, LOW);
    WaitForSingleObject(a, INFINITE);
    WaitForSingleObject(b, INFINITE);
    CloseHandle(a);
    CloseHandle(b);
}

static DWORD waiter_main(LPVOID unused)
{
    (void)unused;
    for (unsigned i = 0; i < FIGURE_REPEATS; i++) {
        started = stamp();
        WaitForSingleObject(event, INFINITE);
        ended = stamp();
    }
    return 0;
}

static void measure_set_switch(void)
{
    event = CreateEvent(NULL, FALSE, FALSE, NULL);
    HANDLE thread = figure_thread(waiter_main, HIGH);
    for (unsigned i = 0; i < FIGURE_REPEATS; i++) {
        uint32_t from = stamp();
        SetEvent(event);
        uint32_t to = stamp();
        figure_add(&set_switch, ended - from);
        if (i + 1 < FIGURE_REPEATS)
            figure_add(&wait_switch, to - started);
    }
    WaitForSingleObject(thread, INFINITE);
    CloseHandle(thread);
    CloseHandle(event);
}

// ---- calls that do not switch ----

#define MEASURE(figure, call)                                                                                         \
    do {                                                                                                              \
        uint32_t from = stamp();                                                                                      \
        call;                                                                                                         \
        uint32_t to = stamp();                                                                                        \
        figure_add(&(figure), to - from);                                                                             \
    } while (0)

static void measure_calls(void)
{
    CRITICAL_SECTION section;
    InitializeCriticalSection(&section);
    other_event = CreateEvent(NULL, FALSE, FALSE, NULL);
    mutex = CreateMutex(NULL, FALSE, NULL);
    HANDLE semaphore = CreateSemaphore(NULL, 0, 10, NULL);
    for (unsigned i = 0; i < FIGURE_REPEATS; i++) {
        MEASURE(set_free, SetEvent(other_event));
        MEASURE(wait_satisfied, WaitForSingleObject(other_event, INFINITE));
        MEASURE(mutex_pair, WaitForSingleObject(mutex, INFINITE); ReleaseMutex(mutex));
        MEASURE(section_pair, EnterCriticalSection(&section); LeaveCriticalSection(&section));
        MEASURE(semaphore_pair, ReleaseSemaphore(semaphore, 1, NULL); WaitForSingleObject(semaphore, INFINITE));
    }
    CloseHandle(other_event);
    CloseHandle(mutex);
    CloseHandle(semaphore);
    DeleteCriticalSection(&section);
}

// ---- what masks interrupts, and what keeps the interrupt thread waiting ----

static void measure_calls_by_sweep(void)
{
    if (!sweep_init())
        return;
    for (unsigned i = 0; i < sweep_call_count; i++) {
        struct sweep sweep = SWEEP_NEW;
        sweep_call(&sweep, &sweep_calls[i], 0);
        sweep_print(&sweep, sweep_calls[i].name);
        figure_add(&masked, sweep.isr_most - sweep.isr_least);
        figure_add(&held, sweep.ist_most - sweep.ist_least);
    }
    sweep_end();
}

// ---- the report ----

struct line {
    const char *name;
    const struct figure *figure;
    unsigned goal, peer; // 0: none
    const char *heavy;   // instructions on the path that take far longer than others on real machines
};

static const struct line lines[] = {
    {"interrupt-isr", &interrupt_isr, 16, 16, "cr3=0,msr=0,device=0,fpu=0,iret=0"},
    {"interrupt-ist", &interrupt_ist, 120, 152, "cr3=0,msr=0,device=1,fpu=0,iret=0"},
    {"interrupt-ist-floating", &interrupt_ist_floating, 0, 152, "cr3=0,msr=0,device=1,fpu=0,iret=0"},
    {"isr-interrupted", &isr_interrupted, 25, 25, "cr3=0,msr=0,device=1,fpu=0,iret=1"},
    {"ist-interrupted", &ist_interrupted, 100, 129, "cr3=0,msr=0,device=0,fpu=0,iret=1"},
    {"yield-switch", &yield_switch, 38, 39, "cr3=0,msr=0,device=0,fpu=0,iret=0"},
    {"event-set-switch", &set_switch, 90, 113, "cr3=0,msr=0,device=0,fpu=0,iret=0"},
    {"event-set-free", &set_free, 20, 26, "cr3=0,msr=0,device=0,fpu=0,iret=0"},
    {"wait-satisfied", &wait_satisfied, 20, 28, "cr3=0,msr=0,device=0,fpu=0,iret=0"},
    {"mutex-lock-unlock", &mutex_pair, 60, 121, "cr3=0,msr=0,device=0,fpu=0,iret=0"},
    {"masked-longest", &masked, 40, 42, "cr3=0,msr=0,device=1,fpu=0,iret=1"},
    {"held-longest", &held, 0, 0, "cr3=0,msr=0,device=0,fpu=0,iret=0"},
    {"wait-block-switch", &wait_switch, 0, 129, "cr3=0,msr=0,device=0,fpu=0,iret=0"},
    {"section-enter-leave", &section_pair, 0, 0, "cr3=0,msr=0,device=0,fpu=0,iret=0"},
    {"semaphore-give-take", &semaphore_pair, 0, 56, "cr3=0,msr=0,device=0,fpu=0,iret=0"},
    {"interrupt-done", &done_in_service, 0, 0, "cr3=0,msr=0,device=0,fpu=0,iret=0"},
};

static bool line_print(const struct line *line)
{
    const struct figure *figure = line->figure;
    NKDbgPrintfW("figure %s %u goal %u peer %u min %u count %u heavy=%s\n", line->name, figure->most, line->goal,
                 line->peer, figure->least, figure->count, line->heavy);
    return line->goal == 0 || (figure->count > 0 && figure->most <= line->goal);
}

int figures_run(int count, char **arguments)
{
    (void)count, (void)arguments;
    bool met = true;
    CeSetThreadPriority(GetCurrentThread(), LOW);
    CeSetThreadQuantum(GetCurrentThread(), 0);
    NKDbgPrintfW("figures in executed instructions, nothing subtracted, largest of count\n");
    SleepTillTick(); // all of one group fit between two ticks
    measure_interrupt_isr();
    measure_isr_interrupted();
    SleepTillTick();
    measure_ist();
    SleepTillTick();
    measure_yield();
    SleepTillTick();
    measure_set_switch();
    SleepTillTick();
    measure_calls();
    measure_calls_by_sweep();
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        met &= line_print(&lines[i]);
    NKDbgPrintfW("figures: %s\n", met ? "all goals met" : "a goal is missed");
    return !met;
}
