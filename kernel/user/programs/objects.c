// SPDX-License-Identifier: MIT OR Apache-2.0
// Checks objects that processes share: names, handles, owners that end, priority inversion. With an argument, this
// program acts as the helper process of one of the checks.
#include "limits.h"
#include "user/check.h"

#define HIGH 249 // one of the last eight priorities: they differ even with only eight levels
#define MIDDLE 251
#define LOW 253
#define WAIT_MS 100
#define HANDLES 40
#define SPINS 20000

static void child_sets(void)
{
    HANDLE event = CreateEvent(NULL, FALSE, FALSE, "objects-event");
    ExitProcess(GetLastError() == ERROR_ALREADY_EXISTS && SetEvent(event) ? 0 : 1);
}

static void child_owns(void)
{
    HANDLE mutex = CreateMutex(NULL, FALSE, "objects-mutex");
    WaitForSingleObject(mutex, INFINITE);
    ExitProcess(0);
}

// No other process has the object open, so the object ends with this process.
static void child_hoards(void)
{
    ExitProcess(CreateMutex(NULL, TRUE, NULL) != NULL ? 0 : 1);
}

// Owns the mutex while others run, and releases it after computing for long enough.
static void child_inverts(void)
{
    CeSetThreadPriority(GetCurrentThread(), LOW);
    HANDLE mutex = CreateMutex(NULL, FALSE, "objects-mutex"), owned = CreateEvent(NULL, FALSE, FALSE, "objects-event");
    WaitForSingleObject(mutex, INFINITE);
    SetEvent(owned);
    for (volatile unsigned i = 0; i < SPINS; i++)
        ;
    ExitProcess(ReleaseMutex(mutex) ? 0 : 1);
}

static void child_spins(void)
{
    CeSetThreadPriority(GetCurrentThread(), MIDDLE);
    for (;;)
        ;
}

// The parent's handles are numbers without meaning in this process.
static void child_guesses(void)
{
    DWORD found = 0;
    for (uintptr_t handle = 0; handle < 0x10000; handle++)
        found += ResetEvent((HANDLE)handle) || GetLastError() != ERROR_INVALID_HANDLE;
    ExitProcess(found);
}

static void names(void)
{
    PROCESS_INFORMATION child;
    HANDLE event = CreateEvent(NULL, FALSE, FALSE, "objects-event");
    check(child_start("objects", "sets", &child) && WaitForSingleObject(event, WAIT_MS) == WAIT_OBJECT_0
              && child_join(&child) == 0,
          "a named event that another process sets is this one's");
    CloseHandle(event);
}

static void handles(void)
{
    HANDLE all[HANDLES];
    PROCESS_INFORMATION child;
    for (unsigned i = 0; i < HANDLES; i++)
        all[i] = CreateEvent(NULL, FALSE, FALSE, NULL);
    check(child_start("objects", "guesses", &child) && child_join(&child) == 0,
          "a handle means nothing in another process, whatever number it tries");
    for (unsigned i = 0; i < HANDLES; i++)
        CloseHandle(all[i]);
    check(REFUSED(SetEvent(all[0]), FALSE, ERROR_INVALID_HANDLE)
              && REFUSED(CloseHandle(all[0]), FALSE, ERROR_INVALID_HANDLE),
          "a closed handle stays invalid");
    unsigned count = 0;
    static HANDLE many[300];
    while (count < LENGTH(many) && (many[count] = CreateEvent(NULL, FALSE, FALSE, NULL)) != NULL)
        count++;
    check(count < LENGTH(many) && GetLastError() == ERROR_NOT_ENOUGH_MEMORY, "a process has only so many handles");
    while (count > 0)
        CloseHandle(many[--count]);
}

static void owners(void)
{
    PROCESS_INFORMATION child;
    HANDLE mutex = CreateMutex(NULL, FALSE, "objects-mutex");
    bool ended = child_start("objects", "owns", &child) && child_join(&child) == 0;
    check(ended && WaitForSingleObject(mutex, WAIT_MS) == WAIT_ABANDONED_0,
          "a mutex whose owner's process has ended is abandoned, and the next one's");
    check(WaitForSingleObject(mutex, 0) == WAIT_OBJECT_0 && ReleaseMutex(mutex) && ReleaseMutex(mutex)
              && REFUSED(ReleaseMutex(mutex), FALSE, ERROR_NOT_OWNER),
          "its owner has it as often as it takes it");
    CloseHandle(mutex);
    unsigned ends = 0;
    while (ends < MUTEXES_MAX + 1 && child_start("objects", "hoards", &child) && child_join(&child) == 0)
        ends++;
    check(ends == MUTEXES_MAX + 1, "a mutex that a process owns at its end goes with it, if no other has it open");
}

// The thread between owner and waiter would never let the owner run. True if the waiter gets the mutex.
static bool invert(HANDLE mutex, PROCESS_INFORMATION *owner, PROCESS_INFORMATION *between)
{
    HANDLE owned = CreateEvent(NULL, FALSE, FALSE, "objects-event");
    CeSetThreadPriority(GetCurrentThread(), HIGH);
    bool started = child_start("objects", "inverts", owner) && WaitForSingleObject(owned, WAIT_MS) == WAIT_OBJECT_0
                   && child_start("objects", "spins", between);
    Sleep(2); // by then the spinning thread has its priority
    CloseHandle(owned);
    return started && WaitForSingleObject(mutex, WAIT_MS) == WAIT_OBJECT_0;
}

// Does nothing else, so that the kernel's trail ends with this.
static void child_boosts(void)
{
    PROCESS_INFORMATION owner, between;
    HANDLE mutex = CreateMutex(NULL, FALSE, "objects-mutex");
    ExitProcess(!invert(mutex, &owner, &between));
}

static void inversion(void)
{
    PROCESS_INFORMATION owner, between;
    HANDLE mutex = CreateMutex(NULL, FALSE, "objects-mutex");
    check(invert(mutex, &owner, &between), "an owner in another process inherits what its waiter has");
    ReleaseMutex(mutex);
    check(REFUSED(CloseHandle((HANDLE)12345), FALSE, ERROR_INVALID_HANDLE) && TerminateProcess(between.hProcess, 5)
              && child_join(&between) == 5 && child_join(&owner) == 0,
          "a process that computes for ever is ended by another");
    CloseHandle(mutex);
}

DWORD program_main(LPCTSTR command)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } children[] = {{"sets", child_sets},
                    {"owns", child_owns},
                    {"hoards", child_hoards},
                    {"inverts", child_inverts},
                    {"spins", child_spins},
                    {"boosts", child_boosts},
                    {"guesses", child_guesses},
                    {"", names},
                    {"", handles},
                    {"", owners},
                    {"", inversion}};
    for (size_t i = 0; i < LENGTH(children); i++)
        if (word_is(command, children[i].name))
            children[i].run();
    return checks_failed();
}
