// SPDX-License-Identifier: MIT OR Apache-2.0
// Extremes with locks: waits for many locks, and threads that own and wait for many.
#include "programs/extremes.h"
#include "programs/figures.h"

#define OBJECTS MAXIMUM_WAIT_OBJECTS
#define LOCKS 56           // of the kernel's 64 mutexes
#define LOCKS_OF_VICTIM 28 // locks that the victim owns; it waits for the others
#define SECTIONS 40

static HANDLE objects[OBJECTS], start, victim;
static CRITICAL_SECTION sections[SECTIONS];

static void objects_create(void)
{
    for (unsigned i = 0; i < OBJECTS; i++)
        objects[i] = i < LOCKS ? CreateMutex(NULL, FALSE, NULL) : CreateEvent(NULL, FALSE, FALSE, NULL);
}

// First releases the locks that the caller owns. The threads that owned the others have been ended.
static void objects_close(void)
{
    for (unsigned i = 0; i < OBJECTS; i++) {
        if (i < LOCKS && WaitForSingleObject(objects[i], 0) != WAIT_TIMEOUT)
            while (ReleaseMutex(objects[i]))
                ;
        CloseHandle(objects[i]);
    }
}

static DWORD many_main(LPVOID unused)
{
    (void)unused;
    while (WaitForMultipleObjects(OBJECTS, objects, FALSE, INFINITE) == WAIT_OBJECT_0 + OBJECTS - 1)
        ;
    return 1;
}

static DWORD owner_main(LPVOID number)
{
    WaitForSingleObject(objects[(uintptr_t)number], INFINITE);
    Sleep(INFINITE);
    return 0;
}

// Prepares an extreme in which each lock has a different owner.
static void owners_begin(void)
{
    objects_create();
    extreme_threads(LOCKS, owner_main, EXTREME_MIDDLE);
    extreme_threads(1, many_main, EXTREME_HIGH);
}

// Prepares an extreme in which the caller owns all locks.
static void own_begin(void)
{
    objects_create();
    for (unsigned i = 0; i < LOCKS; i++)
        WaitForSingleObject(objects[i], INFINITE);
    extreme_threads(1, many_main, EXTREME_HIGH);
}

static void set_last(void)
{
    SetEvent(objects[OBJECTS - 1]);
}

static void move_owners(void)
{
    CeSetThreadPriority(extreme_thread(LOCKS), EXTREME_LOW);
    CeSetThreadPriority(extreme_thread(LOCKS), EXTREME_HIGH);
}

static void move_own(void)
{
    CeSetThreadPriority(extreme_thread(0), EXTREME_LOW);
    CeSetThreadPriority(extreme_thread(0), EXTREME_HIGH);
}

// The victim owns half of the mutexes and all sections, each with a waiting thread. It waits for the other mutexes, which the
// caller owns, and for events.
static DWORD victim_main(LPVOID unused)
{
    (void)unused;
    for (unsigned i = 0; i < LOCKS_OF_VICTIM; i++)
        WaitForSingleObject(objects[i], INFINITE);
    for (unsigned i = 0; i < SECTIONS; i++)
        EnterCriticalSection(&sections[i]);
    return WaitForMultipleObjects(OBJECTS - LOCKS_OF_VICTIM, objects + LOCKS_OF_VICTIM, FALSE, INFINITE);
}

static DWORD wants_mutex_main(LPVOID number)
{
    while (WaitForSingleObject(start, INFINITE) == WAIT_OBJECT_0) {
        WaitForSingleObject(objects[(uintptr_t)number], INFINITE);
        ReleaseMutex(objects[(uintptr_t)number]);
    }
    return 1;
}

static DWORD wants_section_main(LPVOID number)
{
    while (WaitForSingleObject(start, INFINITE) == WAIT_OBJECT_0) {
        EnterCriticalSection(&sections[(uintptr_t)number]);
        LeaveCriticalSection(&sections[(uintptr_t)number]);
    }
    return 1;
}

static DWORD wants_end_main(LPVOID unused)
{
    (void)unused;
    while (WaitForSingleObject(start, INFINITE) == WAIT_OBJECT_0)
        WaitForSingleObject(victim, INFINITE);
    return 1;
}

static void victim_begin(void)
{
    objects_create();
    for (unsigned i = LOCKS_OF_VICTIM; i < LOCKS; i++)
        WaitForSingleObject(objects[i], INFINITE);
    for (unsigned i = 0; i < SECTIONS; i++)
        InitializeCriticalSection(&sections[i]);
    start = CreateEvent(NULL, TRUE, FALSE, NULL);
    extreme_threads(LOCKS_OF_VICTIM, wants_mutex_main, EXTREME_HIGH);
    extreme_threads(SECTIONS, wants_section_main, EXTREME_HIGH);
    extreme_threads(SECTIONS, wants_end_main, EXTREME_HIGH);
}

static void victim_start(void)
{
    victim = figure_thread(victim_main, EXTREME_MIDDLE);
    SetEvent(start);
    ResetEvent(start);
}

static void victim_terminate(void)
{
    TerminateThread(victim, 1);
}

static void victim_close(void)
{
    CloseHandle(victim);
}

static void victim_end(void)
{
    objects_close();
    CloseHandle(start);
}

const struct extreme extremes_of_locks[] = {
    {{"SetEvent-answers-64-own-locks", set_last, NULL, NULL, 0, false}, own_begin, objects_close},
    {{"CeSetThreadPriority-64-own-locks", move_own, NULL, NULL, 0, false}, own_begin, objects_close},
    {{"SetEvent-answers-64-locks-of-others", set_last, NULL, NULL, 0, false}, owners_begin, objects_close},
    {{"CeSetThreadPriority-64-locks-of-others", move_owners, NULL, NULL, 0, false}, owners_begin, objects_close},
    {{"TerminateThread-owns-and-waits", victim_terminate, victim_start, victim_close, 0, false},
     victim_begin,
     victim_end},
    {{"ExitThread-owns", set_last, victim_start, victim_close, 0, false}, victim_begin, victim_end},
    {{0}, NULL, NULL},
};
