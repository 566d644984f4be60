// SPDX-License-Identifier: MIT OR Apache-2.0
// Checks interrupts: nesting by priority, answers of ISRs, chains, interrupt threads, no lost interrupts. The program itself
// raises the interrupts on a line.
#include "core/chain.h"
#include "core/irq.h"
#include "core/profile.h"
#include "programs/figures.h"
#include "programs/selftest.h"

#define SYSINTR_TEST (SYSINTR_FIRMWARE + LINE_1)
#define SERVED 1000

static volatile unsigned order, served;
static HANDLE event;

static DWORD high_notes(void)
{
    order = order * 10 + 7;
    return SYSINTR_NOP;
}

static DWORD low_is_interrupted(void)
{
    order = order * 10 + 5;
    line_interrupt(LINE_1);
    order = order * 10 + 6;
    return SYSINTR_NOP;
}

static DWORD low_notes(void)
{
    order = order * 10 + 5;
    return SYSINTR_NOP;
}

static DWORD high_is_asked(void)
{
    order = order * 10 + 7;
    line_interrupt(LINE_2);
    order = order * 10 + 8;
    return SYSINTR_NOP;
}

static void interrupts_nest_by_priority(void)
{
    HookInterrupt(LINE_1, high_notes), HookInterrupt(LINE_2, low_is_interrupted);
    order = 0;
    line_interrupt(LINE_2);
    check(order == (profile.nesting ? 576u : 567u),
          profile.nesting ? "a higher interrupt interrupts an ISR" : "without nesting it waits for the ISR's end");
    HookInterrupt(LINE_1, high_is_asked), HookInterrupt(LINE_2, low_notes);
    order = 0;
    line_interrupt(LINE_1);
    check(order == 785, "a lower one waits for the ISR's end");
    HookInterrupt(LINE_2, NULL);
}

static DWORD isr_wakes(void)
{
    return SYSINTR_TEST;
}

static DWORD ist_main(LPVOID unused)
{
    (void)unused;
    while (served < SERVED && WaitForSingleObject(event, INFINITE) == WAIT_OBJECT_0) {
        served++;
        InterruptDone(SYSINTR_TEST);
    }
    return 0;
}

static void the_interrupt_thread_runs_at_once(void)
{
    if (profile.done_at_tick) {
        skip("a thousand interrupts at once", "this profile serves one a tick");
        return;
    }
    bool at_once = true;
    event = CreateEvent(NULL, FALSE, FALSE, NULL);
    check(InterruptInitialize(SYSINTR_TEST, event, NULL, 0), "InterruptInitialize takes a fresh event");
    HookInterrupt(LINE_1, isr_wakes);
    served = 0;
    HANDLE ist = selftest_thread(ist_main, 0, PRIORITY_HIGHEST);
    for (unsigned i = 1; i <= SERVED; i++) {
        line_interrupt(LINE_1);
        at_once &= served == i;
    }
    check(at_once, "a thousand interrupts: the thread has served each before the interrupted code goes on");
    selftest_end(ist);
    InterruptDisable(SYSINTR_TEST);
    CloseHandle(event);
}

static void chains_answer_for_a_line(void)
{
    HookInterrupt(LINE_1, NULL);
    HANDLE first = LoadIntChainHandler("chain", "pass_on", LINE_1);
    uint32_t before = chain_unhandled;
    line_interrupt(LINE_1);
    check(first != NULL && chain_unhandled == before + 1, "an interrupt that no routine of a chain wants is a NOP");
    FreeIntChainHandler(first);
    HookInterrupt(LINE_1, NULL);
}

static void unclaimed_interrupts_are_counted(void)
{
    uint32_t before = irq_unclaimed;
    HookInterrupt(LINE_1, isr_wakes);
    line_interrupt(LINE_1);
    HookInterrupt(LINE_1, NULL);
    check(irq_unclaimed == before + 1, "a SYSINTR without an event is counted");
}

void selftest_interrupts(void)
{
    interrupts_nest_by_priority();
    the_interrupt_thread_runs_at_once();
    chains_answer_for_a_line();
    unclaimed_interrupts_are_counted();
}
