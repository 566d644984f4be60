// SPDX-License-Identifier: MIT OR Apache-2.0
// See bench.h. Line 7 and its three answers.
#include "programs/bench.h"

#include "core.h"
#include "x86/lines.h"

static HANDLE bench_event, forwarded_event;

static DWORD isr_answers(void)
{
    line_raise(LINE_ISR);
    line_lower(LINE_ISR);
    return SYSINTR_NOP;
}

static DWORD isr_answers_and_wakes(void)
{
    line_raise(LINE_ISR);
    line_lower(LINE_ISR);
    return SYSINTR_BENCH;
}

static DWORD ist_main(LPVOID unused)
{
    (void)unused;
    while (WaitForSingleObject(bench_event, INFINITE) == WAIT_OBJECT_0) {
        line_raise(LINE_IST);
        line_lower(LINE_IST);
        InterruptDone(SYSINTR_BENCH);
        if (forwarded_event != NULL)
            SetEvent(forwarded_event);
    }
    return 1;
}

static HANDLE bench_event_2;

static DWORD isr_2_answers_and_wakes(void)
{
    line_2_pulse(LINE_ISR);
    return SYSINTR_BENCH_2;
}

static DWORD ist_2_main(LPVOID unused)
{
    (void)unused;
    while (WaitForSingleObject(bench_event_2, INFINITE) == WAIT_OBJECT_0) {
        line_2_pulse(LINE_IST);
        InterruptDone(SYSINTR_BENCH_2);
    }
    return 1;
}

// The recommended order: event, suspended thread, InterruptInitialize, priority, resume.
static void ist_start(LPTHREAD_START_ROUTINE main, DWORD sysintr, HANDLE *event)
{
    *event = CreateEvent(NULL, FALSE, FALSE, NULL);
    HANDLE ist = CreateThread(NULL, 0, main, NULL, CREATE_SUSPENDED, NULL);
    if (ist == NULL || !InterruptInitialize(sysintr, *event, NULL, 0))
        panic(__func__, "no interrupt thread");
    CeSetThreadPriority(ist, BENCH_IST_PRIORITY);
    CeSetThreadQuantum(ist, 0);
    ResumeThread(ist);
}

void bench_start(enum bench_depth depth, HANDLE application_event)
{
    forwarded_event = depth == BENCH_APPLICATION ? application_event : NULL;
    if (depth != BENCH_ISR)
        ist_start(ist_main, SYSINTR_BENCH, &bench_event);
    HookInterrupt(LINES_IRQ, depth == BENCH_ISR ? isr_answers : isr_answers_and_wakes);
    lines_arm(false);
    lines_arm(true);
}

void bench_start_2(void)
{
    ist_start(ist_2_main, SYSINTR_BENCH_2, &bench_event_2);
    HookInterrupt(LINES_IRQ_2, isr_2_answers_and_wakes);
    lines_2_arm(false);
    lines_2_arm(true);
}
