// SPDX-License-Identifier: MIT OR Apache-2.0
// See iltiming_idle.h. There is one function for each kind.
#include "programs/iltiming_idle.h"

#include "programs/iltiming_maps.h"

#define LONG_TIMEOUT_MS 10000
#define IDLE_PRIORITY 255

#define IDLE_THREADS 6
#define PAIRS 2
#define MAPS (1u << 4) // -i5, which is a process

static volatile bool stopping;
static bool maps_run;
static HANDLE threads[IDLE_THREADS], sides[PAIRS][2];

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

// The argument is the number of the side, plus 2 for the pair with an infinite timeout.
static DWORD alternate(LPVOID argument)
{
    uintptr_t side = (uintptr_t)argument & 1, pair = (uintptr_t)argument >> 1;
    DWORD timeout_ms = pair ? INFINITE : LONG_TIMEOUT_MS;
    while (!stopping) {
        SetEvent(sides[pair][!side]);
        WaitForSingleObject(sides[pair][side], timeout_ms);
    }
    SetEvent(sides[pair][!side]);
    return 0;
}

static const struct {
    LPTHREAD_START_ROUTINE main;
    uint32_t kind;
    uintptr_t argument;
} idle_threads[IDLE_THREADS] = {
    {spin, 1, 0}, {set_priority, 2, 0}, {alternate, 3, 0}, {alternate, 3, 1}, {alternate, 4, 2}, {alternate, 4, 3},
};

bool iltiming_idle_start(uint32_t kinds)
{
    maps_run = (kinds & MAPS) != 0;
    if (maps_run && !iltiming_maps_start())
        return false;
    stopping = false;
    for (unsigned i = 0; i < PAIRS * 2; i++)
        sides[i / 2][i % 2] = CreateEvent(NULL, FALSE, FALSE, NULL);
    for (unsigned i = 0; i < IDLE_THREADS; i++) {
        threads[i] = NULL;
        if (!(kinds >> (idle_threads[i].kind - 1) & 1))
            continue;
        threads[i] =
            CreateThread(NULL, 0, idle_threads[i].main, (LPVOID)idle_threads[i].argument, CREATE_SUSPENDED, NULL);
        CeSetThreadPriority(threads[i], IDLE_PRIORITY);
        ResumeThread(threads[i]);
    }
    return true;
}

bool iltiming_idle_stop(void)
{
    bool all_ran = !maps_run || iltiming_maps_stop();
    stopping = true;
    for (unsigned i = 0; i < IDLE_THREADS; i++) {
        if (threads[i] == NULL)
            continue;
        WaitForSingleObject(threads[i], INFINITE);
        CloseHandle(threads[i]);
    }
    for (unsigned i = 0; i < PAIRS * 2; i++)
        CloseHandle(sides[i / 2][i % 2]);
    return all_ran;
}
