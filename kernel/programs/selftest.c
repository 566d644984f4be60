// SPDX-License-Identifier: MIT OR Apache-2.0
// Checks of the kernel on the machine it runs on: PASS, FAIL or SKIP with the reason, and a summary.
#include "programs/programs.h"

static unsigned passed, failed, skipped;

static void check(bool ok, const char *what)
{
    NKDbgPrintfW("%s %s\n", ok ? "PASS" : "FAIL", what);
    ok ? passed++ : failed++;
}

static volatile unsigned order;

static DWORD order_thread(LPVOID digit)
{
    for (unsigned i = 0; i < 2; i++) {
        order = order * 10 + (unsigned)(uintptr_t)digit;
        Sleep(0);
    }
    return (DWORD)(uintptr_t)digit;
}

static HANDLE thread_at(LPTHREAD_START_ROUTINE start, uintptr_t argument, int priority)
{
    HANDLE thread = CreateThread(NULL, 0, start, (LPVOID)argument, CREATE_SUSPENDED, NULL);
    CeSetThreadPriority(thread, priority);
    ResumeThread(thread);
    return thread;
}

static void equals_take_turns(void)
{
    order = 0;
    HANDLE a = thread_at(order_thread, 1, 150), b = thread_at(order_thread, 2, 150);
    WaitForSingleObject(b, INFINITE);
    DWORD code = 0;
    check(order == 1212, "threads of one priority take turns at Sleep(0)");
    check(GetExitCodeThread(b, &code) && code == 2, "an ended thread is signalled and has its exit code");
    CloseHandle(a);
    CloseHandle(b);
}

static void sleep_is_never_early(void)
{
    bool ok = true;
    for (DWORD n = 1; n <= 20; n++) {
        LARGE_INTEGER before, after, hz;
        DWORD tick = GetTickCount();
        QueryPerformanceFrequency(&hz);
        QueryPerformanceCounter(&before);
        Sleep(n);
        QueryPerformanceCounter(&after);
        ok &= after.QuadPart - before.QuadPart >= (int64_t)n * hz.QuadPart / 1000;
        ok &= GetTickCount() - tick == n + 1;
    }
    check(ok, "Sleep(n) ends on tick n + 1 and never early");
}

static HANDLE go, went;

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
    go = CreateEvent(NULL, FALSE, FALSE, NULL);
    went = CreateEvent(NULL, FALSE, FALSE, NULL);
    order = 0;
    HANDLE thread = thread_at(event_thread, 0, 50);
    bool ok = true;
    for (unsigned i = 1; i <= 3; i++) {
        SetEvent(go);
        ok &= order == i && WaitForSingleObject(went, 0) == WAIT_OBJECT_0;
    }
    check(ok, "an event set for a higher thread runs it before SetEvent returns");
    check(WaitForSingleObject(go, 5) == WAIT_TIMEOUT, "a wait that nobody answers times out");
    check(WaitForSingleObject(thread, INFINITE) == WAIT_OBJECT_0, "the thread ended");
    CloseHandle(thread);
    CloseHandle(go);
    CloseHandle(went);
}

int selftest_run(int count, char **arguments)
{
    (void)count, (void)arguments;
    passed = failed = skipped = 0;
    equals_take_turns();
    sleep_is_never_early();
    a_higher_thread_runs_at_once();
    NKDbgPrintfW("selftest: %u passed, %u failed, %u skipped\n", passed, failed, skipped);
    return failed != 0;
}
