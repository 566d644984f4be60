// SPDX-License-Identifier: MIT OR Apache-2.0
// Checks floating point in several threads at once: each must keep its own registers. Compiled with floating point (FPU in the
// Makefile).
#include "programs/selftest.h"
#include "fpu_inline.h"

#define WORKERS 4
#define ROUNDS 20000
#define ENDED_EARLY 50

static volatile LONG wrong, done;

// Computes eight sums in registers, and one in another kind of register if there is one, without a call or memory
// access in between.
static DWORD adds(LPVOID step_number)
{
    double step = (double)(uintptr_t)step_number, sums[8] = {0};
    fpu_other long_sum = 0;
    CeSetThreadQuantum(GetCurrentThread(), 1);
    for (unsigned i = 0; i < ROUNDS; i++) {
        for (unsigned s = 0; s < 8; s++)
            sums[s] += step * (s + 1);
        long_sum += (fpu_other)step;
        if (i % 1000 == 0)
            Sleep(0);
    }
    for (unsigned s = 0; s < 8; s++)
        if (sums[s] != step * (s + 1) * ROUNDS)
            InterlockedIncrement(&wrong);
    if (long_sum != (fpu_other)step * ROUNDS)
        InterlockedIncrement(&wrong);
    InterlockedIncrement(&done);
    return 0;
}

static void threads_keep_their_registers(void)
{
    HANDLE threads[WORKERS];
    wrong = done = 0;
    for (unsigned i = 0; i < WORKERS; i++)
        threads[i] = selftest_thread(adds, i + 1, PRIORITY_LOW);
    for (unsigned i = 0; i < WORKERS; i++)
        selftest_end(threads[i]);
    check(done == WORKERS && wrong == 0, "threads that use floating point keep their registers across switches");
}

static DWORD fills_the_registers(LPVOID unused)
{
    (void)unused;
    fpu_fill();
    Sleep(INFINITE);
    return 0;
}

static DWORD finds_clean_registers(LPVOID unused)
{
    (void)unused;
    return fpu_is_clean();
}

static void a_new_thread_s_registers_are_clean(void)
{
    bool clean = true;
    for (unsigned i = 0; i < ENDED_EARLY; i++) {
        HANDLE earlier = selftest_thread(fills_the_registers, 0, PRIORITY_HIGH);
        TerminateThread(earlier, 0);
        CloseHandle(earlier);
        DWORD code = 0;
        HANDLE next = selftest_thread(finds_clean_registers, 0, PRIORITY_HIGH);
        WaitForSingleObject(next, INFINITE);
        clean &= GetExitCodeThread(next, &code) && code;
        CloseHandle(next);
    }
    check(clean, "a new thread's floating-point registers are clean, whoever had its place before");
}

void selftest_fpu(void)
{
    threads_keep_their_registers();
    a_new_thread_s_registers_are_clean();
}
