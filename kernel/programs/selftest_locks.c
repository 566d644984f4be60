// SPDX-License-Identifier: MIT OR Apache-2.0
// Checks locks under real preemption: each kind guards a counter that threads of several priorities, with a quantum of 1 ms,
// increment.
#include "programs/selftest.h"

#define WORKERS 6
#define ROUNDS 3000
#define SPIN 20

static CRITICAL_SECTION section;
static HANDLE mutex, semaphore;
static volatile unsigned counters[3];
static volatile LONG interlocked;

// Not atomic: without the lock, what another thread adds between the read and the write would be lost.
static void add_slowly(volatile unsigned *counter)
{
    unsigned seen = *counter;
    for (volatile int i = 0; i < SPIN; i++)
        ;
    *counter = seen + 1;
}

static DWORD worker(LPVOID unused)
{
    (void)unused;
    CeSetThreadQuantum(GetCurrentThread(), 1);
    for (unsigned i = 0; i < ROUNDS; i++) {
        EnterCriticalSection(&section);
        add_slowly(&counters[0]);
        LeaveCriticalSection(&section);
        WaitForSingleObject(mutex, INFINITE);
        add_slowly(&counters[1]);
        ReleaseMutex(mutex);
        WaitForSingleObject(semaphore, INFINITE);
        add_slowly(&counters[2]);
        ReleaseSemaphore(semaphore, 1, NULL);
        InterlockedIncrement(&interlocked);
        if (i % 100 == 0)
            Sleep(1);
    }
    return 0;
}

void selftest_locks(void)
{
    HANDLE threads[WORKERS];
    InitializeCriticalSection(&section);
    mutex = CreateMutex(NULL, FALSE, NULL);
    semaphore = CreateSemaphore(NULL, 1, 1, NULL);
    for (unsigned i = 0; i < WORKERS; i++)
        threads[i] = selftest_thread(worker, 0, PRIORITY_HIGH + (int)(i / 2));
    for (unsigned i = 0; i < WORKERS; i++)
        selftest_end(threads[i]);
    check(counters[0] == WORKERS * ROUNDS, "a critical section lets one in at a time");
    check(counters[1] == WORKERS * ROUNDS, "so does a mutex");
    check(counters[2] == WORKERS * ROUNDS, "and a semaphore of one");
    check(interlocked == WORKERS * ROUNDS, "interlocked operations are whole");
    counters[0] = counters[1] = counters[2] = 0;
    interlocked = 0;
    DeleteCriticalSection(&section);
    CloseHandle(mutex);
    CloseHandle(semaphore);
}
