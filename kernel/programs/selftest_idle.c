// SPDX-License-Identifier: MIT OR Apache-2.0
// Checks OEMIdle: the ways to idle, the counted idle time, and the defect of KB 319432.
#include "core/profile.h"
#include "oem.h"
#include "programs/figures.h"
#include "programs/selftest.h"
#include "programs/stimulus.h"

#define SYSINTR_TEST (SYSINTR_FIRMWARE + LINE_1)
#define UNITS_LEAST 8  // in units of the stimulus: the interrupt comes before the CPU halts
#define UNITS_MOST 60  // in units of the stimulus: the interrupt comes after the CPU has halted
#define DELAYED 100000 // instructions: far longer than any path, a tenth of a tick
#define COUNTED_MS 100

static HANDLE event, done;
static volatile uint32_t answered;

static DWORD isr_wakes(void)
{
    return SYSINTR_TEST;
}

static DWORD ist_main(LPVOID unused)
{
    (void)unused;
    for (;;) {
        WaitForSingleObject(event, INFINITE);
        answered = stamp();
        InterruptDone(SYSINTR_TEST);
        SetEvent(done);
    }
    return 0;
}

// Interrupts at each instant around the halt; returns how many were answered late.
static unsigned delayed_by_idling(bool defect)
{
    unsigned delayed = 0;
    profile.sleep_defect = defect;
    for (uint32_t instant = UNITS_LEAST * UNIT_INSTRUCTIONS; instant < UNITS_MOST * UNIT_INSTRUCTIONS; instant++) {
        SleepTillTick(); // no tick comes between arming and halting
        uint32_t due = stimulus_arm(instant / UNIT_INSTRUCTIONS);
        stimulus_padding(UNIT_INSTRUCTIONS - 1 - instant % UNIT_INSTRUCTIONS);
        WaitForSingleObject(done, INFINITE);
        delayed += answered - due > DELAYED;
    }
    profile.sleep_defect = false;
    return delayed;
}

static void kb_319432_delays_a_thread_to_the_next_interrupt(void)
{
    if (profile.tick_ms != 1 || profile.done_at_tick || !stimulus_init()) {
        skip("KB 319432", "a tick of 1 ms and an HPET are needed");
        return;
    }
    event = CreateEvent(NULL, FALSE, FALSE, NULL), done = CreateEvent(NULL, FALSE, FALSE, NULL);
    InterruptInitialize(SYSINTR_TEST, event, NULL, 0);
    HookInterrupt(LINE_1, isr_wakes);
    HANDLE ist = selftest_thread(ist_main, 0, PRIORITY_HIGHEST);
    check(delayed_by_idling(false) == 0, "an interrupt that comes as the processor halts is answered at once");
    check(delayed_by_idling(true) != 0, "and with KB 319432 after the next one");
    HookInterrupt(LINE_1, NULL);
    InterruptDisable(SYSINTR_TEST);
    TerminateThread(ist, 0);
    CloseHandle(ist), CloseHandle(event), CloseHandle(done);
}

static void idle_time_is_counted(void)
{
    SleepTillTick(); // from here on the kernel idles as configured
    SleepTillTick();
    DWORD before_ms = GetIdleTime(), tick = GetTickCount();
    while (GetTickCount() - tick < COUNTED_MS)
        ;
    DWORD busy_ms = GetIdleTime() - before_ms;
    tick = GetTickCount();
    Sleep(COUNTED_MS);
    DWORD idle_ms = GetIdleTime() - before_ms - busy_ms, passed_ms = GetTickCount() - tick;
    check(busy_ms == 0, "GetIdleTime stands still while a thread computes");
    check(idle_ms <= passed_ms + 1 && idle_ms + 2 >= passed_ms, "and follows the clock while all sleep");
}

void selftest_idle(void)
{
    void (*earlier)(void) = pOEMIdle;
    if (earlier == NULL)
        check(GetIdleTime() == MAXDWORD, "GetIdleTime says that nobody counts");
    pOEMIdle = oem_idle_tick;
    idle_time_is_counted();
    kb_319432_delays_a_thread_to_the_next_interrupt();
    pOEMIdle = oem_idle_return;
    DWORD tick = GetTickCount();
    Sleep(5);
    check(GetTickCount() - tick >= 5, "sleeping threads wake when OEMIdle returns at once");
    pOEMIdle = earlier;
}
