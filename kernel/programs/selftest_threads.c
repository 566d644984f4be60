// SPDX-License-Identifier: MIT OR Apache-2.0
// Checks threads and events: turns, ends, wakeups, waits for several objects, suspension.
#include "limits.h"
#include "programs/selftest.h"

#define BEGUN_MS 1000
#define TICKED 64 // every 64th ended thread has spun until a tick

static volatile unsigned order;
static HANDLE go, went;

static DWORD order_thread(LPVOID digit)
{
    for (unsigned i = 0; i < 2; i++) {
        order = order * 10 + (unsigned)(uintptr_t)digit;
        Sleep(0);
    }
    return (DWORD)(uintptr_t)digit;
}

static void equals_take_turns(void)
{
    order = 0;
    HANDLE a = selftest_thread(order_thread, 1, PRIORITY_LOW), b = selftest_thread(order_thread, 2, PRIORITY_LOW);
    WaitForSingleObject(b, INFINITE);
    DWORD code = 0;
    check(order == 1212, "threads of one priority take turns at Sleep(0)");
    check(GetExitCodeThread(b, &code) && code == 2, "an ended thread is signalled and has its exit code");
    selftest_end(a);
    CloseHandle(b);
}

static DWORD event_thread(LPVOID unused)
{
    (void)unused;
    for (unsigned i = 0; i < 3; i++) {
        WaitForSingleObject(go, INFINITE);
        order++;
        SetEvent(went);
    }
    return 0;
}

static void a_higher_thread_runs_at_once(void)
{
    order = 0;
    HANDLE thread = selftest_thread(event_thread, 0, PRIORITY_HIGH);
    bool ok = true;
    for (unsigned i = 1; i <= 3; i++) {
        SetEvent(go);
        ok &= order == i && WaitForSingleObject(went, 0) == WAIT_OBJECT_0;
    }
    check(ok, "an event set for a higher thread runs it before SetEvent returns");
    check(WaitForSingleObject(go, 5) == WAIT_TIMEOUT, "a wait that nobody answers times out");
    selftest_end(thread);
}

static void the_lowest_index_wins(void)
{
    HANDLE list[2] = {go, went};
    SetEvent(went);
    SetEvent(go);
    check(WaitForMultipleObjects(2, list, FALSE, INFINITE) == WAIT_OBJECT_0, "of several objects the first answers");
    check(WaitForMultipleObjects(2, list, FALSE, INFINITE) == WAIT_OBJECT_0 + 1, "then the second");
    check(WaitForMultipleObjects(2, list, FALSE, 2) == WAIT_TIMEOUT, "then none");
}

static void a_suspended_thread_waits_to_be_resumed(void)
{
    order = 0;
    HANDLE thread = selftest_thread(event_thread, 0, PRIORITY_HIGH);
    SuspendThread(thread);
    SetEvent(go);
    check(order == 0, "a suspended thread does not run when its event is set");
    ResumeThread(thread);
    check(order == 1, "but when it is resumed");
    SetEvent(go), SetEvent(go);
    selftest_end(thread);
}

static DWORD spins_for_ever(LPVOID owned)
{
    WaitForSingleObject(owned, INFINITE);
    SetEvent(went);
    for (volatile unsigned turns = 0;; turns++)
        ;
    return 0;
}

// Creates more threads, one after the other, than the table has entries.
static void a_thread_that_never_waits_is_ended(void)
{
    HANDLE mutex = CreateMutex(NULL, FALSE, NULL);
    ResetEvent(went); // the previous threads have set it
    bool ended = true, abandoned = true;
    for (unsigned i = 0; i < 2 * THREADS_MAX; i++) {
        HANDLE thread = selftest_thread(spins_for_ever, (uintptr_t)mutex, PRIORITY_LOW);
        ended &= WaitForSingleObject(went, BEGUN_MS) == WAIT_OBJECT_0;
        if (i % TICKED == 0)
            SleepTillTick(); // until then the thread is in its loop, not in the call
        ended &= TerminateThread(thread, 0) && WaitForSingleObject(thread, 0) == WAIT_OBJECT_0;
        abandoned &= WaitForSingleObject(mutex, 0) == WAIT_ABANDONED_0 && ReleaseMutex(mutex);
        CloseHandle(thread);
    }
    check(ended && abandoned, "a thread that never waits is ended, time and again, and what it owned is free");
    CloseHandle(mutex);
}

void selftest_threads(void)
{
    go = CreateEvent(NULL, FALSE, FALSE, NULL);
    went = CreateEvent(NULL, FALSE, FALSE, NULL);
    equals_take_turns();
    a_higher_thread_runs_at_once();
    ResetEvent(went);
    the_lowest_index_wins();
    a_suspended_thread_waits_to_be_resumed();
    a_thread_that_never_waits_is_ended();
    CloseHandle(go);
    CloseHandle(went);
}
