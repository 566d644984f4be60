// SPDX-License-Identifier: MIT OR Apache-2.0
// Makes the calls of hostile or faulty programs: each must return an error code, and the kernel must continue.
#include "board.h"
#include "limits.h"
#include "programs/programs.h"

#define SYSINTR_FREE (SYSINTR_FIRMWARE + LINE_FREE)

static unsigned tried, wrong;
static HANDLE event, mutex, waiter;

// Checks the call's result and the error that it sets.
static void refused(BOOL as_expected, DWORD error, const char *what)
{
    tried++;
    if (as_expected && GetLastError() == error)
        return;
    wrong++;
    NKDbgPrintfW("hostile: %s: error %u, not %u\n", what, GetLastError(), error);
}

#define REFUSED(call, value, error) refused((SetLastError(ERROR_SUCCESS), (call) == (value)), error, #call)

static DWORD waits_main(LPVOID object)
{
    return WaitForSingleObject(object, INFINITE);
}

static DWORD owns_main(LPVOID section)
{
    WaitForSingleObject(mutex, INFINITE);
    EnterCriticalSection(section);
    return 0; // the thread ends while it owns the mutex and the section
}

static void handles_that_are_none(HANDLE none)
{
    REFUSED(SetEvent(none), FALSE, ERROR_INVALID_HANDLE);
    REFUSED(ResetEvent(none), FALSE, ERROR_INVALID_HANDLE);
    REFUSED(PulseEvent(none), FALSE, ERROR_INVALID_HANDLE);
    REFUSED(ReleaseSemaphore(none, 1, NULL), FALSE, ERROR_INVALID_HANDLE);
    REFUSED(ReleaseMutex(none), FALSE, ERROR_INVALID_HANDLE);
    REFUSED(CloseHandle(none), FALSE, ERROR_INVALID_HANDLE);
    REFUSED(WaitForSingleObject(none, INFINITE), WAIT_FAILED, ERROR_INVALID_HANDLE);
    REFUSED(WaitForMultipleObjects(1, &none, FALSE, INFINITE), WAIT_FAILED, ERROR_INVALID_HANDLE);
    REFUSED(TerminateThread(none, 0), FALSE, ERROR_INVALID_HANDLE);
    REFUSED(ResumeThread(none), MAXDWORD, ERROR_INVALID_HANDLE);
    REFUSED(SuspendThread(none), MAXDWORD, ERROR_INVALID_HANDLE);
    REFUSED(CeSetThreadPriority(none, 1), FALSE, ERROR_INVALID_HANDLE);
    REFUSED(CeSetThreadQuantum(none, 1), FALSE, ERROR_INVALID_HANDLE);
    REFUSED(FreeIntChainHandler(none), FALSE, ERROR_INVALID_HANDLE);
}

static void closing(void)
{
    HANDLE closed = CreateEvent(NULL, FALSE, FALSE, NULL);
    CloseHandle(closed);
    handles_that_are_none(closed);
    handles_that_are_none(NULL);
    handles_that_are_none((HANDLE)1);
    handles_that_are_none((HANDLE)((uintptr_t)event | 1)); // wrongly aligned
    handles_that_are_none((HANDLE)((uintptr_t)event + 32));
    handles_that_are_none((HANDLE)0x7FFFFFFFFFFFFFFF);
    REFUSED(CloseHandle(event), FALSE, ERROR_BUSY); // a thread waits for it
    REFUSED(CloseHandle(mutex), FALSE, ERROR_BUSY); // a thread owns it
}

static void waiting_for_many(void)
{
    HANDLE many[MAXIMUM_WAIT_OBJECTS + 1];
    for (unsigned i = 0; i <= MAXIMUM_WAIT_OBJECTS; i++)
        many[i] = event;
    REFUSED(WaitForMultipleObjects(MAXIMUM_WAIT_OBJECTS + 1, many, FALSE, 0), WAIT_FAILED, ERROR_INVALID_PARAMETER);
    REFUSED(WaitForMultipleObjects(0, many, FALSE, 0), WAIT_FAILED, ERROR_INVALID_PARAMETER);
    REFUSED(WaitForMultipleObjects(2, many, TRUE, 0), WAIT_FAILED, ERROR_INVALID_PARAMETER);
    REFUSED(WaitForMultipleObjects(1, NULL, FALSE, 0), WAIT_FAILED, ERROR_INVALID_PARAMETER);
    REFUSED(WaitForMultipleObjects(MAXIMUM_WAIT_OBJECTS, many, FALSE, 1), WAIT_TIMEOUT, ERROR_SUCCESS);
}

static void sections(void)
{
    static uint8_t bytes[sizeof(CRITICAL_SECTION) + 8];
    LPCRITICAL_SECTION section = (LPCRITICAL_SECTION)(void *)(bytes + 1); // wrongly aligned
    InitializeCriticalSection(section);
    REFUSED((LeaveCriticalSection(section), TRUE), TRUE, ERROR_NOT_OWNER);
    EnterCriticalSection(section);
    REFUSED((DeleteCriticalSection(section), TRUE), TRUE, ERROR_BUSY);
    LeaveCriticalSection(section);
    REFUSED((LeaveCriticalSection(section), TRUE), TRUE, ERROR_NOT_OWNER);
}

static void abandoned(void)
{
    static CRITICAL_SECTION section;
    InitializeCriticalSection(&section);
    ReleaseMutex(mutex);
    HANDLE owner = CreateThread(NULL, 0, owns_main, &section, 0, NULL);
    WaitForSingleObject(owner, INFINITE);
    REFUSED(WaitForSingleObject(mutex, 0), WAIT_ABANDONED, ERROR_SUCCESS);
    REFUSED((EnterCriticalSection(&section), TRUE), TRUE, ERROR_ABANDONED_WAIT_0);
    REFUSED(TerminateThread(owner, 1), FALSE, ERROR_ACCESS_DENIED);
    REFUSED(SuspendThread(owner), MAXDWORD, ERROR_SIGNAL_REFUSED);
    CloseHandle(owner);
}

static void interrupts(void)
{
    HANDLE chain[CHAIN_HANDLERS_MAX];
    REFUSED(NKCallIntChain(200), SYSINTR_CHAIN, ERROR_SUCCESS);
    REFUSED(HookInterrupt(200, NULL), FALSE, ERROR_INVALID_PARAMETER);
    REFUSED(HookInterrupt(-1, NULL), FALSE, ERROR_INVALID_PARAMETER);
    REFUSED(InterruptInitialize(SYSINTR_FREE, event, NULL, 0), FALSE,
            ERROR_INVALID_PARAMETER); // the event was waited for
    REFUSED(InterruptInitialize(200, event, NULL, 0), FALSE, ERROR_INVALID_PARAMETER);
    REFUSED((InterruptDone(200), InterruptDisable(200), TRUE), TRUE, ERROR_SUCCESS);
    REFUSED(LoadIntChainHandler("chain", "nothing", LINE_FREE), NULL, ERROR_FILE_NOT_FOUND);
    REFUSED(LoadIntChainHandler(NULL, NULL, LINE_FREE), NULL, ERROR_FILE_NOT_FOUND);
    REFUSED(LoadIntChainHandler("chain", "pass_on", 200), NULL, ERROR_INVALID_PARAMETER);
    for (unsigned i = 0; i < CHAIN_HANDLERS_MAX; i++)
        chain[i] = LoadIntChainHandler("chain", "pass_on", LINE_FREE);
    REFUSED(LoadIntChainHandler("chain", "pass_on", LINE_FREE), NULL, ERROR_NOT_ENOUGH_MEMORY);
    for (unsigned i = 0; i < CHAIN_HANDLERS_MAX; i++)
        FreeIntChainHandler(chain[i]);
    REFUSED(FreeIntChainHandler(chain[0]), FALSE, ERROR_INVALID_HANDLE);
}

int hostile_run(int count, char **arguments)
{
    (void)count, (void)arguments;
    tried = wrong = 0;
    event = CreateEvent(NULL, FALSE, FALSE, NULL);
    mutex = CreateMutex(NULL, TRUE, NULL);
    waiter = CreateThread(NULL, 0, waits_main, event, CREATE_SUSPENDED, NULL);
    CeSetThreadPriority(waiter, 0);
    ResumeThread(waiter);
    closing();
    waiting_for_many();
    sections();
    interrupts();
    abandoned();
    ReleaseMutex(mutex);
    SetEvent(event);
    WaitForSingleObject(waiter, INFINITE);
    CloseHandle(waiter);
    CloseHandle(mutex);
    CloseHandle(event);
    NKDbgPrintfW("hostile: %u tried, %u wrong\n", tried, wrong);
    return wrong != 0;
}
