// SPDX-License-Identifier: MIT OR Apache-2.0
// The table of calls for the sweep: every call of the API without contention, and, where it matters, also with a switch
// and with many objects.
#include "programs/sweep_calls.h"

#include "core/ready.h"
#include "programs/figures.h"

#define HIGHER 5
#define LOWER 30
#define OBJECTS 16
#define CROWD 8
#define TICK_WINDOW 700
#define TICK_LEAD 200
#define SYSINTR_UNUSED (SYSINTR_FIRMWARE + LINE_FREE)
#define IDLE_WINDOW 3000 // until the idle thread has checked all stacks and halts

static HANDLE event, gate, waited, mutex, fought, semaphore, fresh, silent, objects[OBJECTS], helper, other, sleeper;
static CRITICAL_SECTION section;

static void nothing(void)
{
    for (volatile int i = 0; i < 20; i++)
        ;
}

static void set_and_wait(void)
{
    SetEvent(event);
    WaitForSingleObject(event, INFINITE);
}

static void reset_and_pulse(void)
{
    ResetEvent(event);
    PulseEvent(event);
}

static DWORD waiter_main(LPVOID unused)
{
    (void)unused;
    while (WaitForSingleObject(waited, INFINITE) == WAIT_OBJECT_0)
        ;
    return 1;
}

static void set_and_switch(void)
{
    SetEvent(waited);
}
static DWORD crowd_main(LPVOID unused)
{
    (void)unused;
    while (WaitForSingleObject(gate, INFINITE) == WAIT_OBJECT_0)
        ResetEvent(gate); // only the first thread needs this; SetEvent has released all of them
    return 1;
}

static void set_for_a_crowd(void)
{
    SetEvent(gate);
}
static void poll_all(void)
{
    WaitForMultipleObjects(OBJECTS, objects, FALSE, 0);
}
static void set_last(void)
{
    SetEvent(objects[OBJECTS - 1]);
}
static void wait_for_last(void)
{
    WaitForMultipleObjects(OBJECTS, objects, FALSE, INFINITE);
}

static void give_and_take(void)
{
    ReleaseSemaphore(semaphore, 2, NULL);
    WaitForSingleObject(semaphore, INFINITE);
    WaitForSingleObject(semaphore, INFINITE);
}

static void lock_and_unlock(void)
{
    WaitForSingleObject(mutex, INFINITE);
    ReleaseMutex(mutex);
}

static void enter_and_leave(void)
{
    EnterCriticalSection(&section);
    LeaveCriticalSection(&section);
}

static DWORD fighter_main(LPVOID unused)
{
    (void)unused;
    while (WaitForSingleObject(fought, INFINITE) == WAIT_OBJECT_0) {
        WaitForSingleObject(mutex, INFINITE); // lends its priority to the owner
        ReleaseMutex(mutex);
    }
    return 1;
}

static void lock_fought_over(void)
{
    WaitForSingleObject(mutex, INFINITE);
    SetEvent(fought);
    ReleaseMutex(mutex);
}

static DWORD nothing_main(LPVOID unused)
{
    (void)unused;
    return 0;
}

static void create_and_end(void)
{
    HANDLE thread = CreateThread(NULL, 0, nothing_main, NULL, CREATE_SUSPENDED, NULL);
    CeSetThreadPriority(thread, HIGHER);
    ResumeThread(thread);
    CloseHandle(thread);
}

static void create_and_close(void)
{
    CloseHandle(CreateEvent(NULL, FALSE, FALSE, NULL));
}
static void create_named(void)
{
    CloseHandle(CreateEvent(NULL, FALSE, FALSE, _T("sweep")));
}
static void yield(void)
{
    Sleep(0);
}

static DWORD helper_main(LPVOID unused)
{
    (void)unused;
    while (SuspendThread(GetCurrentThread()) != MAXDWORD)
        ;
    return 1;
}

static void suspend_and_resume(void)
{
    ResumeThread(helper);
}

static void move_priority(void)
{
    CeSetThreadPriority(other, LOWER + 1);
    CeSetThreadPriority(other, LOWER);
    CeSetThreadQuantum(other, 10);
}

static void wait_with_timeout(void)
{
    WaitForSingleObject(waited, 0);
    SetEvent(event);
    WaitForSingleObject(event, 1000);
}

static void bad_handles(void)
{
    SetEvent(INVALID_HANDLE_VALUE);
    WaitForSingleObject(NULL, INFINITE);
    ReleaseMutex(mutex);
}

// The clock was stopped while the CPU idled, and the interrupt of a device, not the timer, ended the idling.
static void wake_without_clock(void)
{
    sweep_idle_until_woken();
}

// The same wakeup from idling, exactly at the tick on which a timeout is due.
static void wake_with_timeout_due(void)
{
    sweep_idle_until_woken();
    kernel.resched_ms = kernel.now_ms;
}

static void wait_a_tick(void)
{
    WaitForSingleObject(silent, 1);
}
static void ask_the_time(void)
{
    GetTickCount();
}
static DWORD isr_of_nobody(void)
{
    return SYSINTR_NOP;
}

static void hook_and_free(void)
{
    HookInterrupt(LINE_FREE, isr_of_nobody);
    HookInterrupt(LINE_FREE, NULL);
}

static void interrupt_event(void)
{
    InterruptInitialize(SYSINTR_UNUSED, fresh, NULL, 0);
    InterruptDone(SYSINTR_UNUSED);
    InterruptDisable(SYSINTR_UNUSED);
}

static void chain_and_free(void)
{
    FreeIntChainHandler(LoadIntChainHandler(_T("chain"), _T("pass_on"), LINE_FREE));
}
static void chain_free(void)
{
    HookInterrupt(LINE_FREE, NULL);
}

static void sleep_idly(void)
{
    Sleep(5);
}

// A tick comes before the call's end.
static void tick_soon(void)
{
    clock_restart(TICK_LEAD);
}

static void tick_pass(void)
{
    for (volatile int i = 0; i < TICK_WINDOW / 5; i++)
        ;
}

static DWORD sleeper_main(LPVOID unused)
{
    (void)unused;
    while (GetLastError() == ERROR_SUCCESS)
        SleepTillTick();
    return 1;
}

static void sleeper_start(void)
{
    ResumeThread(sleeper); // the sleeper is due at the next tick
    clock_restart(TICK_LEAD);
}

static void sleeper_stop(void)
{
    SuspendThread(sleeper);
}

const struct sweep_call sweep_calls[] = {
    {"nothing", nothing, NULL, NULL, 0, false},
    {"SetEvent+WaitForSingleObject", set_and_wait, NULL, NULL, 0, false},
    {"ResetEvent+PulseEvent", reset_and_pulse, NULL, NULL, 0, false},
    {"SetEvent-switch", set_and_switch, NULL, NULL, 0, false},
    {"SetEvent-8-waiters", set_for_a_crowd, NULL, NULL, 0, false},
    {"WaitForMultipleObjects-poll", poll_all, NULL, NULL, 0, false},
    {"WaitForMultipleObjects-last", wait_for_last, set_last, NULL, 0, false},
    {"ReleaseSemaphore+WaitForSingleObject", give_and_take, NULL, NULL, 0, false},
    {"mutex", lock_and_unlock, NULL, NULL, 0, false},
    {"mutex-inheritance", lock_fought_over, NULL, NULL, 0, false},
    {"critical-section", enter_and_leave, NULL, NULL, 0, false},
    {"CreateThread+ExitThread", create_and_end, NULL, NULL, 0, false},
    {"CreateEvent+CloseHandle", create_and_close, NULL, NULL, 0, false},
    {"CreateEvent-named", create_named, NULL, NULL, 0, false},
    {"Sleep(0)", yield, NULL, NULL, 0, false},
    {"ResumeThread+SuspendThread", suspend_and_resume, NULL, NULL, 0, false},
    {"CeSetThreadPriority", move_priority, NULL, NULL, 0, false},
    {"WaitForSingleObject-timeout", wait_with_timeout, NULL, NULL, 0, false},
    {"bad-handles", bad_handles, NULL, NULL, 0, false},
    {"GetTickCount-after-idling", ask_the_time, wake_without_clock, NULL, 0, false},
    {"GetTickCount-timeout-due", ask_the_time, wake_with_timeout_due, NULL, 0, false},
    {"Wait-timeout-after-idling", wait_a_tick, wake_without_clock, NULL, IDLE_WINDOW, true},
    {"HookInterrupt", hook_and_free, NULL, NULL, 0, false},
    {"InterruptInitialize+Done+Disable", interrupt_event, NULL, NULL, 0, false},
    {"LoadIntChainHandler+Free", chain_and_free, NULL, chain_free, 0, false},
    {"idle", sleep_idly, NULL, NULL, IDLE_WINDOW, true},
    {"tick", tick_pass, tick_soon, NULL, TICK_WINDOW, false},
    {"tick-timeout", tick_pass, sleeper_start, sleeper_stop, TICK_WINDOW, false},
};
const unsigned sweep_call_count = sizeof sweep_calls / sizeof sweep_calls[0];

static DWORD spin_main(LPVOID unused)
{
    (void)unused;
    Sleep(INFINITE);
    return 0;
}

void sweep_calls_wake_at_ticks(bool wake)
{
    wake ? ResumeThread(sleeper) : SuspendThread(sleeper);
}

void sweep_calls_init(void)
{
    if (event != NULL)
        return;
    event = CreateEvent(NULL, FALSE, FALSE, NULL);
    silent = CreateEvent(NULL, FALSE, FALSE, NULL);
    fresh = CreateEvent(NULL, FALSE, FALSE, NULL);
    waited = CreateEvent(NULL, FALSE, FALSE, NULL);
    fought = CreateEvent(NULL, FALSE, FALSE, NULL);
    mutex = CreateMutex(NULL, FALSE, NULL);
    semaphore = CreateSemaphore(NULL, 0, 10, NULL);
    for (unsigned i = 0; i < OBJECTS; i++)
        objects[i] = CreateEvent(NULL, FALSE, FALSE, NULL);
    InitializeCriticalSection(&section);
    figure_thread(waiter_main, HIGHER);
    figure_thread(fighter_main, HIGHER);
    gate = CreateEvent(NULL, TRUE, FALSE, NULL);
    for (unsigned i = 0; i < CROWD; i++)
        figure_thread(crowd_main, HIGHER);
    helper = figure_thread(helper_main, HIGHER);
    other = figure_thread(spin_main, LOWER);
    sleeper = CreateThread(NULL, 0, sleeper_main, NULL, CREATE_SUSPENDED, NULL);
    create_and_end(); // the first thread of a table entry creates the entry
    CeSetThreadPriority(sleeper, HIGHER);
}
