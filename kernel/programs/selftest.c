// SPDX-License-Identifier: MIT OR Apache-2.0
// Checks the kernel on the running machine: prints PASS, FAIL or SKIP with the reason for each check, and a summary.
#include "programs/selftest.h"

#include "programs/programs.h"

static unsigned passed, failed, skipped;

void check(bool ok, const char *sentence)
{
    NKDbgPrintfW("%s %s\n", ok ? "PASS" : "FAIL", sentence);
    ok ? passed++ : failed++;
}

void skip(const char *sentence, const char *reason)
{
    NKDbgPrintfW("SKIP %s: %s\n", sentence, reason);
    skipped++;
}

HANDLE selftest_thread(LPTHREAD_START_ROUTINE start, uintptr_t argument, int priority)
{
    HANDLE thread = CreateThread(NULL, 0, start, (LPVOID)argument, CREATE_SUSPENDED, NULL);
    CeSetThreadPriority(thread, priority);
    ResumeThread(thread);
    return thread;
}

void selftest_end(HANDLE thread)
{
    WaitForSingleObject(thread, INFINITE);
    CloseHandle(thread);
}

int selftest_run(int count, char **arguments)
{
    (void)count, (void)arguments;
    static void (*const parts[])(void) = {selftest_threads, selftest_time, selftest_interrupts, selftest_level,
                                          selftest_locks,   selftest_fpu,  selftest_idle};
    passed = failed = skipped = 0;
    int earlier = CeGetThreadPriority(GetCurrentThread());
    CeSetThreadPriority(GetCurrentThread(), PRIORITY_SELFTEST);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        parts[i]();
    CeSetThreadPriority(GetCurrentThread(), earlier);
    NKDbgPrintfW("selftest: %u passed, %u failed, %u skipped\n", passed, failed, skipped);
    return failed != 0;
}
