// SPDX-License-Identifier: MIT OR Apache-2.0
// Interrupts: nesting by priority, answers of ISRs, chains, threads that serve, nothing lost. The stimulus is
// the local APIC's interrupt to itself on a line's vector.
#include "core/chain.h"
#include "core/irq.h"
#include "core/profile.h"
#include "programs/figures.h"
#include "programs/selftest.h"
#include "x86/parallel.h"

#define SYSINTR_TEST (SYSINTR_FIRMWARE + PARALLEL_1_IRQ)
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
    trigger(VECTOR_LINE_7);
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
    trigger(VECTOR_LINE_5);
    order = order * 10 + 8;
    return SYSINTR_NOP;
}

static void interrupts_nest_by_priority(void)
{
    HookInterrupt(PARALLEL_1_IRQ, high_notes), HookInterrupt(PARALLEL_2_IRQ, low_is_interrupted);
    order = 0;
    trigger(VECTOR_LINE_5);
    check(order == (profile.nesting ? 576u : 567u),
          profile.nesting ? "a higher interrupt interrupts an ISR" : "without nesting it waits for the ISR's end");
    HookInterrupt(PARALLEL_1_IRQ, high_is_asked), HookInterrupt(PARALLEL_2_IRQ, low_notes);
    order = 0;
    trigger(VECTOR_LINE_7);
    check(order == 785, "a lower one waits for the ISR's end");
    HookInterrupt(PARALLEL_2_IRQ, NULL);
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
    HookInterrupt(PARALLEL_1_IRQ, isr_wakes);
    served = 0;
    HANDLE ist = selftest_thread(ist_main, 0, PRIORITY_HIGHEST);
    for (unsigned i = 1; i <= SERVED; i++) {
        trigger(VECTOR_LINE_7);
        at_once &= served == i;
    }
    check(at_once, "a thousand interrupts: the thread has served each before the interrupted code goes on");
    selftest_end(ist);
    InterruptDisable(SYSINTR_TEST);
    CloseHandle(event);
}

static void chains_answer_for_a_line(void)
{
    HookInterrupt(PARALLEL_1_IRQ, NULL);
    HANDLE first = LoadIntChainHandler("chain", "pass_on", PARALLEL_1_IRQ);
    uint32_t before = chain_unhandled;
    trigger(VECTOR_LINE_7);
    check(first != NULL && chain_unhandled == before + 1, "an interrupt that no routine of a chain wants is a NOP");
    FreeIntChainHandler(first);
    HookInterrupt(PARALLEL_1_IRQ, NULL);
}

#define SERIAL_IRQ 4
#define SERIAL_INTERRUPTS 0x3F9
#define SERIAL_EMPTY 0x02 // an interrupt for as long as there is nothing to send
#define SYSINTR_SERIAL (SYSINTR_FIRMWARE + SERIAL_IRQ)

static volatile unsigned asked;

static DWORD serial_isr(void)
{
    asked++;
    return SYSINTR_SERIAL;
}

static DWORD serial_main(LPVOID unused)
{
    (void)unused;
    while (served < 3) {
        WaitForSingleObject(event, INFINITE);
        served++;
        if (served == 3)
            out8(SERIAL_INTERRUPTS, 0); // the device is served, and asks no more
        InterruptDone(SYSINTR_SERIAL);
    }
    return 0;
}

// It asks until the thread has come three times: once for each InterruptDone, not for ever.
static void a_level_asks_until_it_is_served(void)
{
    if (profile.done_at_tick) {
        skip("a level-triggered line", "this profile serves one interrupt a tick");
        return;
    }
    event = CreateEvent(NULL, FALSE, FALSE, NULL);
    asked = served = 0;
    check(line_set_level(SERIAL_IRQ, true) && InterruptInitialize(SYSINTR_SERIAL, event, NULL, 0)
              && HookInterrupt(SERIAL_IRQ, serial_isr),
          "the serial port's line is made level-triggered");
    HANDLE thread = selftest_thread(serial_main, 0, PRIORITY_HIGHEST);
    out8(SERIAL_INTERRUPTS, SERIAL_EMPTY);
    SleepTillTick();
    check(served == 3 && asked == 3, "it interrupts once for each InterruptDone while the device asks");
    SleepTillTick();
    check(asked == 3, "and not when it is served");
    HookInterrupt(SERIAL_IRQ, NULL);
    line_set_level(SERIAL_IRQ, false);
    selftest_end(thread);
    InterruptDisable(SYSINTR_SERIAL);
    CloseHandle(event);
}

static void unclaimed_interrupts_are_counted(void)
{
    uint32_t before = irq_unclaimed;
    HookInterrupt(PARALLEL_1_IRQ, isr_wakes);
    trigger(VECTOR_LINE_7);
    HookInterrupt(PARALLEL_1_IRQ, NULL);
    check(irq_unclaimed == before + 1, "a SYSINTR without an event is counted");
}

void selftest_interrupts(void)
{
    interrupts_nest_by_priority();
    the_interrupt_thread_runs_at_once();
    chains_answer_for_a_line();
    a_level_asks_until_it_is_served();
    unclaimed_interrupts_are_counted();
}
