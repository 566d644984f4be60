// SPDX-License-Identifier: MIT OR Apache-2.0
// Checks critical sections in user mode: owners and waiters that end in every way, priority inheritance, and invalid
// section contents. With an argument, this program acts as the helper process of one of the checks.
#include "user/check.h"

#include "limits.h"
#include "process/calls.h"
#include "process/section.h"

#define HIGH 249 // one of the last eight priorities: they differ even with only eight levels
#define MIDDLE 251
#define LOW 253
#define WAIT_MS 2000
#define THREADS 4
#define ROUNDS 60

static CRITICAL_SECTION section;
static HANDLE entered, may_leave;
static volatile unsigned inside, count, overlaps;

static HANDLE thread(LPTHREAD_START_ROUTINE start, LPVOID argument, int priority)
{
    HANDLE made = CreateThread(NULL, 0, start, argument, CREATE_SUSPENDED, NULL);
    CeSetThreadPriority(made, priority);
    ResumeThread(made);
    return made;
}

static bool joined(HANDLE ended)
{
    bool came = WaitForSingleObject(ended, WAIT_MS) == WAIT_OBJECT_0;
    CloseHandle(ended);
    return came;
}

// Exits with the error that entering has set.
static DWORD enters(LPVOID at)
{
    SetLastError(ERROR_SUCCESS);
    EnterCriticalSection(at);
    DWORD error = GetLastError();
    SetEvent(entered);
    LeaveCriticalSection(at);
    return error;
}

static DWORD owns(LPVOID at)
{
    EnterCriticalSection(at);
    SetEvent(entered);
    WaitForSingleObject(may_leave, INFINITE);
    LeaveCriticalSection(at);
    return 0;
}

static DWORD keeps(LPVOID at)
{
    EnterCriticalSection(at);
    return 0;
}

static DWORD spins(LPVOID unused)
{
    while (unused == NULL)
        ;
    return 0;
}

static DWORD leaves(LPVOID at)
{
    LeaveCriticalSection(at);
    return GetLastError();
}

// Other threads run while this thread is in the section, and between two rounds.
static DWORD counts(LPVOID at)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        EnterCriticalSection(at);
        overlaps += inside++ != 0;
        unsigned before = count;
        if (i % 3 == 0)
            Sleep(i % 2);
        count = before + 1;
        inside--;
        LeaveCriticalSection(at);
        if (i % 5 == 0)
            Sleep(0);
    }
    return 0;
}

static HANDLE owner_started(void)
{
    ResetEvent(entered);
    HANDLE owner = thread(owns, &section, LOW);
    WaitForSingleObject(entered, WAIT_MS);
    return owner;
}

// When this returns, the thread waits for the section, or has ended.
static HANDLE waiter_started(LPVOID at, int priority)
{
    HANDLE waiter = thread(enters, at, priority);
    Sleep(1);
    return waiter;
}

static void waiter_end(HANDLE waiter)
{
    TerminateThread(waiter, 0);
    CloseHandle(waiter);
}

static bool exit_code_is(HANDLE ended, DWORD wanted)
{
    DWORD exit_code = STILL_ACTIVE;
    bool right = WaitForSingleObject(ended, WAIT_MS) == WAIT_OBJECT_0 && GetExitCodeThread(ended, &exit_code)
                 && exit_code == wanted;
    CloseHandle(ended);
    return right;
}

static void alone(void)
{
    InitializeCriticalSection(&section);
    EnterCriticalSection(&section);
    bool again = TryEnterCriticalSection(&section);
    EnterCriticalSection(&section);
    check(again && section.owner == GetCurrentThreadId() && section.recursion == 2,
          "a section is its owner's, as often as that enters");
    check(exit_code_is(thread(leaves, &section, HIGH), ERROR_NOT_OWNER), "another thread does not leave it");
    SetLastError(ERROR_SUCCESS);
    DeleteCriticalSection(&section);
    check(GetLastError() == ERROR_BUSY, "nor is it deleted");
    for (unsigned i = 0; i < 3; i++)
        LeaveCriticalSection(&section);
    SetLastError(ERROR_SUCCESS);
    check(section.owner == 0 && leaves(&section) == ERROR_NOT_OWNER, "it is left as often, and no more");
}

static void contended(void)
{
    HANDLE all[THREADS];
    for (unsigned i = 0; i < THREADS; i++)
        all[i] = thread(counts, &section, LOW - (int)(i % 2));
    bool ended = true;
    for (unsigned i = 0; i < THREADS; i++) {
        ended &= WaitForSingleObject(all[i], 5 * WAIT_MS) == WAIT_OBJECT_0;
        CloseHandle(all[i]);
    }
    check(ended && count == THREADS * ROUNDS && overlaps == 0 && section.owner == 0,
          "threads that want it all the time are never in it together, and it is free afterwards");
}

// The thread between owner and waiter computes forever.
static void inversion(void)
{
    HANDLE owner = owner_started(), waiter = waiter_started(&section, HIGH), between = thread(spins, NULL, MIDDLE);
    bool contends = section.owner & SECTION_CONTENDED && !TryEnterCriticalSection(&section);
    SetEvent(may_leave);
    check(contends && WaitForSingleObject(entered, WAIT_MS) == WAIT_OBJECT_0, "its owner inherits from who waits");
    check(exit_code_is(waiter, ERROR_SUCCESS), "and leaves no error to who comes next");
    waiter_end(between);
    check(joined(owner) && section.owner == 0, "it is free again");
}

static void ended(void)
{
    HANDLE owner = owner_started(), waiter = waiter_started(&section, HIGH), other = waiter_started(&section, MIDDLE);
    waiter_end(waiter);
    SetEvent(may_leave);
    check(exit_code_is(other, ERROR_SUCCESS) && joined(owner), "a waiter that is ended keeps nobody from it");
    owner = owner_started();
    waiter_end(waiter_started(&section, HIGH));
    SetEvent(may_leave);
    check(joined(owner) && section.owner == 0, "an owner whose only waiter is ended leaves it free");
    owner = owner_started();
    waiter = waiter_started(&section, HIGH);
    TerminateThread(owner, 0);
    check(exit_code_is(waiter, ERROR_ABANDONED_WAIT_0) && joined(owner), "a waiter has it when its owner is ended");
    joined(thread(keeps, &section, HIGH));
    check(section.owner != 0 && exit_code_is(thread(enters, &section, HIGH), ERROR_ABANDONED_WAIT_0),
          "and so has who comes later, with an error");
}

// Makes two more sections with waiting threads than the kernel supports. All but the last have lost their waiter.
static void crowd(void)
{
    static CRITICAL_SECTION many[PROCESS_SECTIONS_MAX + 2];
    HANDLE waiter = NULL;
    unsigned waited = 0, owned = 0;
    for (unsigned i = 0; i < LENGTH(many); i++) {
        if (waiter != NULL)
            waiter_end(waiter);
        EnterCriticalSection(&many[i]);
        waiter = waiter_started(&many[i], HIGH);
        waited += WaitForSingleObject(waiter, 0) == WAIT_TIMEOUT;
    }
    ResetEvent(entered);
    for (unsigned i = 0; i < LENGTH(many); i++)
        LeaveCriticalSection(&many[i]);
    check(waited == LENGTH(many) && WaitForSingleObject(entered, WAIT_MS) == WAIT_OBJECT_0 && joined(waiter),
          "more sections than the kernel can stand for are waited for too");
    for (unsigned i = 0; i < LENGTH(many); i++)
        owned += many[i].owner != 0;
    check(owned == 0, "and all of them are free afterwards");
}

static DWORD error_of(volatile void *word)
{
    SetLastError(ERROR_SUCCESS);
    return section_enter(word) == SECTION_ENTERED ? GetLastError() : GetLastError() + 10000;
}

// The word names a thread of another process, or no thread: no thread waits or is raised.
static void lies(void)
{
    PROCESS_INFORMATION child;
    static uintptr_t misaligned[2];
    bool started = child_start("sections", "waits", &child);
    const uintptr_t words[] = {
        child.dwThreadId, child.dwThreadId | SECTION_CONTENDED, 1, 65, 65 | SECTION_CONTENDED, 0x12345678, 0x7FFFFFFF,
        0xFFFFFFFF};
    unsigned wrong = 0;
    for (unsigned i = 0; i < LENGTH(words); i++) {
        section.owner = words[i];
        SetLastError(ERROR_SUCCESS);
        EnterCriticalSection(&section);
        wrong +=
            GetLastError() != ERROR_ABANDONED_WAIT_0 || (section.owner & ~SECTION_CONTENDED) != GetCurrentThreadId();
        LeaveCriticalSection(&section);
        wrong += section.owner != 0;
    }
    check(started && wrong == 0, "an owner that is no thread of this process is none: who comes has it, with an error");
    section.owner = SECTION_CONTENDED;
    check(error_of(&section.owner) == ERROR_SUCCESS, "one that is on its way to nobody is had");
    check(error_of(&section.owner) == ERROR_INVALID_PARAMETER + 10000, "the kernel lets nobody wait for itself");
    LeaveCriticalSection(&section);
    check(section.owner == 0, "and it is left");
    check(error_of(NULL) == ERROR_NOACCESS + 10000 && error_of((void *)0x100000) == ERROR_NOACCESS + 10000
              && error_of((char *)misaligned + 2) == ERROR_NOACCESS + 10000
              && REFUSED(section_leave(NULL), FALSE, ERROR_NOACCESS)
              && REFUSED(section_leave((volatile uint32_t *)&section.owner), FALSE, ERROR_NOT_OWNER),
          "a word that is not there, the kernel's, or out of alignment is refused");
    TerminateProcess(child.hProcess, 0);
    child_join(&child);
}

static void overwritten(void)
{
    HANDLE owner = owner_started(), waiter = waiter_started(&section, HIGH);
    section.owner = 0;
    TerminateThread(owner, 0);
    check(joined(owner) && exit_code_is(waiter, ERROR_SUCCESS) && section.owner == 0,
          "a word that is written over keeps nobody beyond its owner's end");
}

static uint64_t serve(uint64_t method, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f,
                      uint64_t g)
{
    (void)a, (void)b, (void)c, (void)d, (void)e, (void)f, (void)g;
    EnterCriticalSection(&section);
    if (method == 0)
        Sleep(2);
    uint64_t right = section.owner != 0 && inside++ == 0;
    inside--;
    LeaveCriticalSection(&section);
    return right;
}

static DWORD calls(LPVOID server)
{
    unsigned right = 0;
    for (unsigned i = 0; i < 6; i++)
        right += CallServer(server, i % 2, 0, 0, 0, 0, 0, 0, 0) == 1;
    return right == 6;
}

// Threads of this process enter a section of another one.
static void visitors(void)
{
    PROCESS_INFORMATION child;
    HANDLE ready = CreateEvent(NULL, FALSE, FALSE, "sections-ready");
    bool up = child_start("sections", "serves", &child) && WaitForSingleObject(ready, WAIT_MS) == WAIT_OBJECT_0;
    HANDLE server = OpenServer("sections"), all[THREADS];
    for (unsigned i = 0; i < THREADS; i++)
        all[i] = thread(calls, server, LOW - (int)(i % 2));
    for (unsigned i = 0; i < THREADS; i++)
        up &= exit_code_is(all[i], TRUE);
    check(up, "visitors of a server enter its sections one after the other");
    TerminateProcess(child.hProcess, 0);
    child_join(&child);
    CloseHandle(server);
    CloseHandle(ready);
}

static DWORD child_serves(void)
{
    RegisterServer("sections", serve);
    SetEvent(CreateEvent(NULL, FALSE, FALSE, "sections-ready"));
    Sleep(INFINITE);
    return 0;
}

DWORD program_main(LPCTSTR command)
{
    if (word_is(command, "serves"))
        return child_serves();
    if (word_is(command, "waits"))
        Sleep(INFINITE);
    entered = CreateEvent(NULL, FALSE, FALSE, NULL);
    may_leave = CreateEvent(NULL, FALSE, FALSE, NULL);
    CeSetThreadPriority(GetCurrentThread(), HIGH);
    alone();
    contended();
    inversion();
    ended();
    crowd();
    lies();
    overwritten();
    visitors();
    return checks_failed();
}
