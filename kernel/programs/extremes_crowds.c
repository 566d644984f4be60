// SPDX-License-Identifier: MIT OR Apache-2.0
// Extremes with crowds: many threads wait for one object, or for one tick.
#include "programs/extremes.h"
#include "programs/figures.h"

#define CROWD 150
#define CROWD_OF_MANY 20 // threads, each waiting for MAXIMUM_WAIT_OBJECTS objects
#define TICK_LEAD 200
#define TICK_WINDOW 60000
#define TICK_WINDOW_OF_MANY 125000 // on arm64 the tick that ends their waits takes 122,607 instructions

static HANDLE manual, waited, go, objects[MAXIMUM_WAIT_OBJECTS];

static DWORD gate_main(LPVOID unused)
{
    (void)unused;
    while (WaitForSingleObject(manual, INFINITE) == WAIT_OBJECT_0)
        ResetEvent(manual); // only the first thread needs this; SetEvent has released all of them
    return 1;
}

static DWORD waits_main(LPVOID unused)
{
    (void)unused;
    while (WaitForSingleObject(waited, INFINITE) == WAIT_OBJECT_0)
        ;
    return 1;
}

static void set_begin(void)
{
    manual = CreateEvent(NULL, TRUE, FALSE, NULL);
    extreme_threads(CROWD, gate_main, EXTREME_HIGH);
}
static void set_run(void)
{
    SetEvent(manual);
}
static void manual_end(void)
{
    CloseHandle(manual);
}

static void pulse_begin(void)
{
    waited = CreateEvent(NULL, TRUE, FALSE, NULL);
    extreme_threads(CROWD, waits_main, EXTREME_HIGH);
}
static void waited_end(void)
{
    CloseHandle(waited);
}
static void pulse_run(void)
{
    PulseEvent(waited);
}
static void close_run(void)
{
    CloseHandle(waited);
}

static void give_begin(void)
{
    waited = CreateSemaphore(NULL, 0, CROWD, NULL);
    extreme_threads(CROWD, waits_main, EXTREME_HIGH);
}
static void give_run(void)
{
    ReleaseSemaphore(waited, CROWD, NULL);
}

static DWORD sleeper_main(LPVOID unused)
{
    (void)unused;
    while (WaitForSingleObject(go, INFINITE) == WAIT_OBJECT_0)
        SleepTillTick();
    return 1;
}

// Lowers this thread's priority below the sleepers', so that all of them are asleep when it runs again.
static void sleepers_sleep(void)
{
    CeSetThreadPriority(GetCurrentThread(), EXTREME_LOWEST);
    SetEvent(go);
    ResetEvent(go);
}

static void sleepers_start(void)
{
    sleepers_sleep();
    CeSetThreadPriority(GetCurrentThread(), EXTREME_OWN);
    clock_restart(TICK_LEAD);
}

static void sleep_begin(void)
{
    go = CreateEvent(NULL, TRUE, FALSE, NULL);
    extreme_threads(CROWD, sleeper_main, EXTREME_HIGH);
}

// This thread stays below the sleepers, so the clock thread answers. The clock is restarted last, so that the next tick comes in
// the swept part.
static void sleepers_start_above(void)
{
    sleepers_sleep();
    clock_restart(TICK_LEAD);
}

static void rise(void)
{
    CeSetThreadPriority(GetCurrentThread(), EXTREME_OWN);
}

static void sleep_low_begin(void)
{
    go = CreateEvent(NULL, TRUE, FALSE, NULL);
    extreme_threads(CROWD, sleeper_main, EXTREME_LOW);
}

static void go_end(void)
{
    CloseHandle(go);
}

static void time_pass(void)
{
    for (volatile int i = 0; i < TICK_WINDOW / 5; i++)
        ;
}

static DWORD many_main(LPVOID unused)
{
    (void)unused;
    while (WaitForSingleObject(go, INFINITE) == WAIT_OBJECT_0)
        WaitForMultipleObjects(MAXIMUM_WAIT_OBJECTS, objects, FALSE, 1);
    return 1;
}

static void many_begin(void)
{
    go = CreateEvent(NULL, TRUE, FALSE, NULL);
    for (unsigned i = 0; i < MAXIMUM_WAIT_OBJECTS; i++)
        objects[i] = CreateEvent(NULL, FALSE, FALSE, NULL);
    extreme_threads(CROWD_OF_MANY, many_main, EXTREME_HIGH);
}

static void many_start(void)
{
    SetEvent(go);
    ResetEvent(go);
    SleepTillTick();
    clock_restart(TICK_LEAD);
}

static void many_end(void)
{
    CloseHandle(go);
    for (unsigned i = 0; i < MAXIMUM_WAIT_OBJECTS; i++)
        CloseHandle(objects[i]);
}

const struct extreme extremes_of_crowds[] = {
    {{"SetEvent-150-waiters", set_run, NULL, NULL, 0, false}, set_begin, manual_end},
    {{"PulseEvent-150-waiters", pulse_run, NULL, NULL, 0, false}, pulse_begin, waited_end},
    {{"CloseHandle-150-waiters", close_run, NULL, NULL, 0, false}, pulse_begin, waited_end},
    {{"ReleaseSemaphore-150-waiters", give_run, NULL, NULL, 0, false}, give_begin, waited_end},
    {{"tick-150-timeouts", time_pass, sleepers_start, NULL, TICK_WINDOW, false}, sleep_begin, go_end},
    {{"tick-150-lower-timeouts", time_pass, sleepers_start_above, rise, TICK_WINDOW, false}, sleep_low_begin, go_end},
    {{"tick-20-timeouts-of-64", time_pass, many_start, NULL, TICK_WINDOW_OF_MANY, false}, many_begin, many_end},
    {{0}, NULL, NULL},
};
