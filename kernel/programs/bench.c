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

void bench_start(enum bench_depth depth, HANDLE application_event)
{
    forwarded_event = depth == BENCH_APPLICATION ? application_event : NULL;
    if (depth != BENCH_ISR) {
        bench_event = CreateEvent(NULL, FALSE, FALSE, NULL);
        HANDLE ist = CreateThread(NULL, 0, ist_main, NULL, CREATE_SUSPENDED, NULL);
        if (ist == NULL || !InterruptInitialize(SYSINTR_BENCH, bench_event, NULL, 0))
            panic(__func__, "no interrupt thread");
        CeSetThreadPriority(ist, BENCH_IST_PRIORITY);
        CeSetThreadQuantum(ist, 0);
        ResumeThread(ist);
    }
    HookInterrupt(LINES_IRQ, depth == BENCH_ISR ? isr_answers : isr_answers_and_wakes);
    lines_arm(false);
    lines_arm(true);
}
