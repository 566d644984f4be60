// SPDX-License-Identifier: MIT OR Apache-2.0
// Extremes with a chain of owners. Each owner waits for the next one and inherits, so all owners have the first one's
// priority. When the first owner loses this priority, all owners lose it.
#include "programs/extremes.h"
#include "programs/figures.h"

#define OWNERS 150

static HANDLE begin, steps[OWNERS];
static CRITICAL_SECTION sections[OWNERS];

static DWORD owner_main(LPVOID argument)
{
    uintptr_t number = (uintptr_t)argument;
    while (WaitForSingleObject(begin, INFINITE) == WAIT_OBJECT_0) {
        EnterCriticalSection(&sections[number]);
        WaitForSingleObject(steps[number], INFINITE);
        if (number + 1 < OWNERS) {
            EnterCriticalSection(&sections[number + 1]);
            LeaveCriticalSection(&sections[number + 1]);
        }
        LeaveCriticalSection(&sections[number]);
    }
    return 1;
}

static void chain_begin(void)
{
    begin = CreateEvent(NULL, TRUE, FALSE, NULL);
    for (unsigned i = 0; i < OWNERS; i++) {
        steps[i] = CreateEvent(NULL, FALSE, FALSE, NULL);
        InitializeCriticalSection(&sections[i]);
    }
    extreme_threads(OWNERS, owner_main, EXTREME_MIDDLE);
}

static void chain_build(void)
{
    SetEvent(begin);
    ResetEvent(begin);
    CeSetThreadPriority(extreme_thread(0), EXTREME_HIGH);
    for (unsigned i = 0; i + 1 < OWNERS; i++)
        SetEvent(steps[i]);
}

static void chain_lose(void)
{
    CeSetThreadPriority(extreme_thread(0), EXTREME_MIDDLE);
}

static void chain_unwind(void)
{
    SetEvent(steps[OWNERS - 1]);
}

static void chain_undo(void)
{
    chain_lose();
    chain_unwind();
}

static void chain_end(void)
{
    CloseHandle(begin);
    for (unsigned i = 0; i < OWNERS; i++)
        CloseHandle(steps[i]);
}

const struct extreme extremes_of_chains[] = {
    {{"CeSetThreadPriority-150-owners", chain_lose, chain_build, chain_unwind, 0, false}, chain_begin, chain_end},
    {{"SetEvent-builds-chain-of-150", chain_build, NULL, chain_undo, 0, false}, chain_begin, chain_end},
    {{0}, NULL, NULL},
};
