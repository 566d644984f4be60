// SPDX-License-Identifier: MIT OR Apache-2.0
// See iltiming_idle.h: one function a kind.
#include "programs/iltiming_idle.h"

#include "board.h"

#define LONG_TIMEOUT_MS 10000
#define WALK_BYTES 65536
#define WALK_STEP 64
#define IDLE_PRIORITY 255

static volatile bool stopping;
static HANDLE threads[2], sides[2];

static DWORD spin(LPVOID unused)
{
    (void)unused;
    while (!stopping)
        ;
    return 0;
}

static DWORD set_priority(LPVOID unused)
{
    (void)unused;
    while (!stopping)
        SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_IDLE);
    return 0;
}

// The argument is the side's number, plus 2 for an infinite timeout.
static DWORD alternate(LPVOID argument)
{
    uintptr_t side = (uintptr_t)argument & 1;
    DWORD timeout_ms = (uintptr_t)argument & 2 ? INFINITE : LONG_TIMEOUT_MS;
    while (!stopping) {
        SetEvent(sides[!side]);
        WaitForSingleObject(sides[side], timeout_ms);
    }
    SetEvent(sides[!side]);
    return 0;
}

static DWORD walk(LPVOID unused)
{
    static volatile uint8_t memory[WALK_BYTES];
    (void)unused;
    while (!stopping) {
        for (unsigned i = 0; i < WALK_BYTES; i += WALK_STEP)
            memory[i]++;
        translations_flush();
    }
    return 0;
}

static const struct {
    LPTHREAD_START_ROUTINE main;
    uintptr_t arguments[2];
    unsigned threads;
} kinds[] = {
    {NULL, {0, 0}, 0},      {spin, {0, 0}, 1},      {set_priority, {0, 0}, 1},
    {alternate, {0, 1}, 2}, {alternate, {2, 3}, 2}, {walk, {0, 0}, 1},
};

void iltiming_idle_start(uint32_t kind)
{
    stopping = false;
    for (unsigned i = 0; i < 2; i++)
        sides[i] = CreateEvent(NULL, FALSE, FALSE, NULL);
    for (unsigned i = 0; i < 2; i++) {
        threads[i] = NULL;
        if (i >= kinds[kind].threads)
            continue;
        threads[i] = CreateThread(NULL, 0, kinds[kind].main, (LPVOID)kinds[kind].arguments[i], CREATE_SUSPENDED, NULL);
        CeSetThreadPriority(threads[i], IDLE_PRIORITY);
        ResumeThread(threads[i]);
    }
}

void iltiming_idle_stop(void)
{
    stopping = true;
    for (unsigned i = 0; i < 2; i++) {
        if (threads[i] == NULL)
            continue;
        WaitForSingleObject(threads[i], INFINITE);
        CloseHandle(threads[i]);
    }
    for (unsigned i = 0; i < 2; i++)
        CloseHandle(sides[i]);
}
