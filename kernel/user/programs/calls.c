// SPDX-License-Identifier: MIT OR Apache-2.0
// Makes the requests to the kernel that programs/processes/sweep_process.c interrupts. Each time its event is set, it
// does the operation whose number is the event's data. The operations are in the order of the table in that file.
#include "user/check.h"

#define PAGE 0x1000u
#define PRIORITY_OWN 10
#define HIGHER 5
#define LOWER 15
#define OBJECTS 16
#define OWNERS 6
#define SYSINTR_PERMITTED 45u

static HANDLE event, mutex, wanted, objects[OBJECTS], parked, server, begin, steps[OWNERS], owners[OWNERS];
static CRITICAL_SECTION section, sections[OWNERS];

static void nothing(void)
{
    GetCurrentThreadId();
}

// Spins in user mode, for tests that need a tick there.
static void spin(void)
{
    for (volatile int i = 0; i < 50; i++)
        ;
}

static void set_and_wait(void)
{
    SetEvent(event);
    WaitForSingleObject(event, INFINITE);
}

static void wait_for_many(void)
{
    SetEvent(objects[OBJECTS - 1]);
    WaitForMultipleObjects(OBJECTS, objects, FALSE, INFINITE);
}

static void create_and_close(void)
{
    CloseHandle(CreateEvent(NULL, FALSE, FALSE, "calls"));
}

static void allocate_and_free(void)
{
    VirtualFree(VirtualAlloc(NULL, 2 * PAGE, MEM_COMMIT, PAGE_READWRITE), 0, MEM_RELEASE);
}

static void share_and_forget(void)
{
    HANDLE mapping = CreateFileMapping(INVALID_HANDLE_VALUE, NULL, PAGE_READWRITE, 0, PAGE, "calls");
    UnmapViewOfFile(MapViewOfFile(mapping, FILE_MAP_WRITE, 0, 0, 0));
    CloseHandle(mapping);
}

static void lock_pages(void)
{
    LockPages(sections, sizeof sections, NULL, LOCKFLAG_WRITE);
}

// An invalid pointer causes a page fault in the kernel while the kernel copies.
static void bad_pointers(void)
{
    GetExitCodeThread(GetCurrentThread(), (LPDWORD)0x8010FF0000);
    CreateEvent(NULL, FALSE, FALSE, (LPCTSTR)0x8010FF0000);
    SetEvent((HANDLE)0x100000);
}

static void interrupts(void)
{
    HANDLE fresh = CreateEvent(NULL, FALSE, FALSE, NULL);
    InterruptInitialize(SYSINTR_PERMITTED, fresh, NULL, 0);
    InterruptDone(SYSINTR_PERMITTED);
    InterruptDisable(SYSINTR_PERMITTED);
    InterruptInitialize(SYSINTR_PERMITTED + 1, fresh, NULL, 0);
    CloseHandle(fresh);
}

// The kernel allocates two pages of the thread's stack when the thread touches them.
static DWORD touches_main(LPVOID unused)
{
    (void)unused;
    volatile char room[2 * PAGE];
    room[0] = 1;
    return room[0];
}

static void thread_with_page_faults(void)
{
    HANDLE thread = CreateThread(NULL, 0, touches_main, NULL, CREATE_SUSPENDED, NULL);
    CeSetThreadPriority(thread, HIGHER);
    ResumeThread(thread);
    CloseHandle(thread);
}

static void suspend_and_resume(void)
{
    SuspendThread(parked);
    CeSetThreadPriority(parked, LOWER + 1);
    CeSetThreadPriority(parked, LOWER);
    ResumeThread(parked);
}

static void call_server(void)
{
    CallServer(server, 1, 2, 3, 4, 5, 6, 7, 8);
}

static uint64_t serve(uint64_t method, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f,
                      uint64_t g)
{
    return method + a + b + c + d + e + f + g;
}

// Takes both locks, and lends its priority to their owners.
static DWORD wants_main(LPVOID unused)
{
    (void)unused;
    while (WaitForSingleObject(wanted, INFINITE) == WAIT_OBJECT_0) {
        WaitForSingleObject(mutex, INFINITE);
        ReleaseMutex(mutex);
        EnterCriticalSection(&section);
        LeaveCriticalSection(&section);
    }
    return 1;
}

static void locks_fought_over(void)
{
    WaitForSingleObject(mutex, INFINITE);
    EnterCriticalSection(&section);
    SetEvent(wanted);
    ReleaseMutex(mutex);
    LeaveCriticalSection(&section);
}

// A chain of owners, in which each waits for the next.
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

// The raised thread builds the chain, loses its inherited priority, and takes the chain apart.
static void chain_of_owners(void)
{
    SetEvent(begin);
    ResetEvent(begin);
    CeSetThreadPriority(owners[0], HIGHER);
    for (unsigned i = 0; i + 1 < OWNERS; i++)
        SetEvent(steps[i]);
    CeSetThreadPriority(owners[0], PRIORITY_OWN - 1);
    SetEvent(steps[OWNERS - 1]);
}

static void end_thread(void)
{
    HANDLE thread = CreateThread(NULL, 0, wants_main, NULL, 0, NULL);
    TerminateThread(thread, 0);
    CloseHandle(thread);
}

// A process with all of its pages, which ends before its first instruction.
static void process_and_end(void)
{
    PROCESS_INFORMATION child;
    if (!CreateProcess("hello", "", NULL, NULL, FALSE, CREATE_SUSPENDED, NULL, NULL, NULL, &child))
        return;
    TerminateProcess(child.hProcess, 0);
    CloseHandle(child.hThread);
    CloseHandle(child.hProcess);
}

static DWORD parked_main(LPVOID unused)
{
    (void)unused;
    Sleep(INFINITE);
    return 0;
}

static HANDLE start(LPTHREAD_START_ROUTINE main, uintptr_t argument, int priority)
{
    HANDLE thread = CreateThread(NULL, 0, main, (LPVOID)argument, CREATE_SUSPENDED, NULL);
    CeSetThreadPriority(thread, priority);
    CeSetThreadQuantum(thread, 0);
    ResumeThread(thread);
    return thread;
}

static void prepare(void)
{
    event = CreateEvent(NULL, FALSE, FALSE, NULL);
    wanted = CreateEvent(NULL, FALSE, FALSE, NULL);
    mutex = CreateMutex(NULL, FALSE, NULL);
    begin = CreateEvent(NULL, TRUE, FALSE, NULL);
    for (unsigned i = 0; i < OBJECTS; i++)
        objects[i] = CreateEvent(NULL, FALSE, FALSE, NULL);
    for (unsigned i = 0; i < OWNERS; i++)
        steps[i] = CreateEvent(NULL, FALSE, FALSE, NULL);
    RegisterServer("calls", serve);
    server = OpenServer("calls");
    start(wants_main, 0, HIGHER);
    parked = start(parked_main, 0, LOWER);
}

static void prepare_chain(void)
{
    for (unsigned i = 0; i < OWNERS; i++)
        owners[i] = start(owner_main, i, PRIORITY_OWN - 1);
}

DWORD program_main(LPCTSTR command)
{
    static void (*const operations[])(void) = {nothing,
                                               spin,
                                               set_and_wait,
                                               wait_for_many,
                                               create_and_close,
                                               allocate_and_free,
                                               share_and_forget,
                                               lock_pages,
                                               bad_pointers,
                                               interrupts,
                                               thread_with_page_faults,
                                               suspend_and_resume,
                                               call_server,
                                               locks_fought_over,
                                               end_thread,
                                               process_and_end,
                                               prepare_chain,
                                               chain_of_owners};
    (void)command;
    HANDLE go = CreateEvent(NULL, FALSE, FALSE, "calls-go"), done = CreateEvent(NULL, FALSE, FALSE, "calls-done");
    CeSetThreadPriority(GetCurrentThread(), PRIORITY_OWN);
    CeSetThreadQuantum(GetCurrentThread(), 0);
    prepare();
    SetEvent(done);
    while (WaitForSingleObject(go, INFINITE) == WAIT_OBJECT_0) {
        operations[GetEventData(go) % LENGTH(operations)]();
        SetEvent(done);
    }
    return 1;
}
