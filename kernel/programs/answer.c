// SPDX-License-Identifier: MIT OR Apache-2.0
// See answer.h. Line 7 has up to three answers, line 5 two.
#include "programs/answer.h"

#include "core/panic.h"
#include "core/trail.h"
#include "programs/outputs.h"

static HANDLE answer_event, forwarded_event;

static DWORD isr_answers(void)
{
    output_pulse_taken(OUTPUT_ISR);
    return SYSINTR_NOP;
}

static DWORD isr_answers_and_wakes(void)
{
    output_pulse_taken(OUTPUT_ISR);
    return SYSINTR_ANSWER;
}

static DWORD ist_main(LPVOID unused)
{
    (void)unused;
    while (WaitForSingleObject(answer_event, INFINITE) == WAIT_OBJECT_0) {
        output_pulse(OUTPUT_IST);
        InterruptDone(SYSINTR_ANSWER);
        if (forwarded_event != NULL)
            SetEvent(forwarded_event);
    }
    return 1;
}

static HANDLE answer_event_2;

static DWORD isr_2_answers_and_wakes(void)
{
    output_2_pulse(OUTPUT_ISR);
    return SYSINTR_ANSWER_2;
}

static DWORD ist_2_main(LPVOID unused)
{
    (void)unused;
    while (WaitForSingleObject(answer_event_2, INFINITE) == WAIT_OBJECT_0) {
        output_2_pulse(OUTPUT_IST);
        InterruptDone(SYSINTR_ANSWER_2);
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
    CeSetThreadPriority(ist, ANSWER_IST_PRIORITY);
    CeSetThreadQuantum(ist, 0);
    ResumeThread(ist);
}

void answer_start(enum answer_depth depth, HANDLE application_event)
{
    forwarded_event = depth == ANSWER_APPLICATION ? application_event : NULL;
    if (depth == ANSWER_APPLICATION_ALONE && !InterruptInitialize(SYSINTR_ANSWER, application_event, NULL, 0))
        panic(__func__, "the application's event cannot be an interrupt's");
    if (depth == ANSWER_IST || depth == ANSWER_APPLICATION)
        ist_start(ist_main, SYSINTR_ANSWER, &answer_event);
    HookInterrupt(LINE_1, depth == ANSWER_ISR ? isr_answers : isr_answers_and_wakes);
    if (trail_on)
        trail_start(); // adds the line that was just hooked to the trail
    connector_interrupt(false);
    connector_interrupt(true);
}

void answer_start_2(void)
{
    ist_start(ist_2_main, SYSINTR_ANSWER_2, &answer_event_2);
    HookInterrupt(LINE_2, isr_2_answers_and_wakes);
    connector_2_interrupt(false);
    connector_2_interrupt(true);
}
