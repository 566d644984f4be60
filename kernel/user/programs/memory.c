// SPDX-License-Identifier: MIT OR Apache-2.0
// Checks a process's memory: VirtualAlloc, stacks, and system calls with invalid pointers.
#include "process/layout.h"
#include "user/check.h"

#define BLOCK 0x10000u
#define PAGE 0x1000u
#define CHANGES 5
#define HIGH 249 // one of the last eight priorities: they differ even with only eight levels
#define LOW 251

static void reserve(void)
{
    volatile char *one = VirtualAlloc(NULL, 1, MEM_RESERVE, PAGE_NOACCESS),
                  *two = VirtualAlloc(NULL, BLOCK + 1, MEM_RESERVE, PAGE_READWRITE);
    check(one != NULL && two != NULL && ((uintptr_t)one | (uintptr_t)two) % BLOCK == 0 && two - one == (ptrdiff_t)BLOCK,
          "addresses are reserved by 64 KiB");
    check(REFUSED(VirtualAlloc((LPVOID)one, BLOCK + 1, MEM_RESERVE, PAGE_READWRITE), NULL, ERROR_INVALID_ADDRESS)
              && REFUSED(VirtualAlloc((LPVOID)USER_IMAGE, 1, MEM_RESERVE, PAGE_READWRITE), NULL, ERROR_INVALID_ADDRESS)
              && REFUSED(VirtualAlloc((LPVOID)0x100000, 1, MEM_RESERVE, PAGE_READWRITE), NULL, ERROR_INVALID_ADDRESS)
              && REFUSED(VirtualAlloc((LPVOID)-4096, 8192, MEM_RESERVE, PAGE_READWRITE), NULL, ERROR_INVALID_ADDRESS),
          "what is taken, or not the process's, is refused");
    char *page = VirtualAlloc((LPVOID)(two + PAGE + 5), 10, MEM_COMMIT, PAGE_READWRITE);
    check(page == two + PAGE && page[0] == 0 && page[PAGE - 1] == 0, "a page is committed within, and zero");
    page[7] = 3;
    check(VirtualFree(page, PAGE, MEM_DECOMMIT) && VirtualAlloc(page, 1, MEM_COMMIT, PAGE_READWRITE) == page
              && page[7] == 0,
          "one that is decommitted and committed again is zero again");
    check(REFUSED(VirtualFree(page, 0, MEM_RELEASE), FALSE, ERROR_INVALID_ADDRESS)
              && REFUSED(VirtualFree((LPVOID)two, BLOCK, MEM_RELEASE), FALSE, ERROR_INVALID_PARAMETER)
              && VirtualFree((LPVOID)two, 0, MEM_RELEASE) && VirtualFree((LPVOID)one, 0, MEM_RELEASE)
              && REFUSED(VirtualFree((LPVOID)one, 0, MEM_RELEASE), FALSE, ERROR_INVALID_ADDRESS),
          "a reservation is released as a whole, once");
}

static void exhaust(void)
{
    check(REFUSED(VirtualAlloc(NULL, 256u << 20, MEM_COMMIT, PAGE_READWRITE), NULL, ERROR_NOT_ENOUGH_MEMORY)
              && REFUSED(VirtualAlloc(NULL, 1u << 30, MEM_RESERVE, PAGE_READWRITE), NULL, ERROR_NOT_ENOUGH_MEMORY)
              && REFUSED(VirtualAlloc(NULL, 0, MEM_RESERVE, PAGE_READWRITE), NULL, ERROR_INVALID_PARAMETER)
              && REFUSED(VirtualAlloc(NULL, SIZE_MAX, MEM_RESERVE, PAGE_READWRITE), NULL, ERROR_INVALID_PARAMETER),
          "more than there is, or nothing, is refused");
    LPVOID all[70];
    unsigned count = 0;
    while (count < LENGTH(all) && (all[count] = VirtualAlloc(NULL, 1, MEM_RESERVE, PAGE_READWRITE)) != NULL)
        count++;
    check(count == 64 && GetLastError() == ERROR_NOT_ENOUGH_MEMORY, "a process has 64 reservations at most");
    while (count > 0)
        VirtualFree(all[--count], 0, MEM_RELEASE);
}

// If a pointer is invalid, the kernel does not make the call.
static void pointers(void)
{
    static const char constant[16];
    static _Alignas(16) char place[16];
    HANDLE semaphore = CreateSemaphore(NULL, 0, 100, NULL);
    const uintptr_t bad[] = {1,
                             4,
                             0x100000,
                             0xFFFFFFFFFEE00000,
                             0x7FFFFFFFF000,
                             USER_VIRTUAL,
                             USER_START,
                             USER_END - 4,
                             USER_END,
                             (uintptr_t)constant,
                             (uintptr_t)place + 1,
                             (uintptr_t)pointers,
                             0x8000000000000000};
    unsigned wrong = 0;
    for (size_t i = 0; i < LENGTH(bad); i++) {
        LPLONG to = (LPLONG)bad[i];
        wrong += !REFUSED(ReleaseSemaphore(semaphore, 1, to), FALSE, ERROR_NOACCESS);
        wrong += !REFUSED(GetExitCodeThread(GetCurrentThread(), (LPDWORD)to), FALSE, ERROR_NOACCESS);
        wrong += !REFUSED(QueryPerformanceFrequency((LARGE_INTEGER *)to), FALSE, ERROR_NOACCESS);
    }
    wrong += !REFUSED(GetExitCodeThread(GetCurrentThread(), NULL), FALSE, ERROR_NOACCESS);
    wrong += !REFUSED(QueryPerformanceFrequency(NULL), FALSE, ERROR_NOACCESS);
    check(wrong == 0, "a result is not written to null, the kernel, nowhere, constants, code, or out of alignment");
    check(WaitForSingleObject(semaphore, 0) == WAIT_TIMEOUT, "and such a call has done nothing");
    const uintptr_t unreadable[] = {1, 0x100000, 0xFFFFFFFFFEE00000, USER_VIRTUAL, USER_END - 1, 0x8000000000000000};
    wrong = 0;
    for (size_t i = 0; i < LENGTH(unreadable); i++) {
        wrong += !REFUSED(CreateEvent(NULL, FALSE, FALSE, (LPCTSTR)unreadable[i]), NULL, ERROR_NOACCESS);
        wrong +=
            !REFUSED(WaitForMultipleObjects(2, (const HANDLE *)unreadable[i], FALSE, 0), WAIT_FAILED, ERROR_NOACCESS);
    }
    check(wrong == 0, "nor is an argument read from there");
    CloseHandle(semaphore);
}

static DWORD takes_away(LPVOID page)
{
    for (unsigned i = 0; i < CHANGES; i++) {
        SleepTillTick();
        VirtualFree(page, PAGE, MEM_DECOMMIT);
        SleepTillTick();
        VirtualAlloc(page, PAGE, MEM_COMMIT, PAGE_READWRITE);
    }
    return 0;
}

// The caller's page disappears and returns during calls. Each call works or reports an error.
static void changes(void)
{
    unsigned done = 0, refused = 0, wrong = 0;
    char *page = VirtualAlloc(NULL, PAGE, MEM_COMMIT, PAGE_READWRITE);
    HANDLE semaphore = CreateSemaphore(NULL, 0, INT32_MAX, NULL);
    HANDLE thread = CreateThread(NULL, 0, takes_away, page, CREATE_SUSPENDED, NULL);
    CeSetThreadPriority(GetCurrentThread(), LOW);
    CeSetThreadPriority(thread, HIGH);
    ResumeThread(thread);
    while (WaitForSingleObject(thread, 0) == WAIT_TIMEOUT) {
        SetLastError(ERROR_SUCCESS);
        BOOL released = ReleaseSemaphore(semaphore, 1, (LPLONG)page);
        DWORD error = GetLastError();
        done += released;
        refused += !released && error == ERROR_NOACCESS;
        wrong += released ? error != ERROR_SUCCESS : error != ERROR_NOACCESS;
    }
    CloseHandle(thread);
    CloseHandle(semaphore);
    VirtualFree(page, 0, MEM_RELEASE);
    check(done > 0 && refused > 0 && wrong == 0, "a page that another thread takes away fails the call, and no more");
}

// Uses whole stacks, page by page.
static DWORD uses_stack(LPVOID unused)
{
    (void)unused;
    volatile char room[USER_STACK_BYTES - 0x1000];
    for (size_t i = 0; i < sizeof room; i += PAGE)
        room[i] = 1;
    return room[0];
}

// Touches this many bytes of its stack, from the top down.
static DWORD uses_bytes(LPVOID bytes)
{
    volatile char here, *top = (volatile char *)((uintptr_t)&here | (USER_STACK_PLACE - 1));
    for (uintptr_t at = PAGE - 1; at < (uintptr_t)bytes; at += PAGE)
        *(top - at) = 1;
    return 1;
}

// Creates a thread with that stack size, which uses this many bytes of its stack. Returns its exit code, or 0 if it
// could not be created.
static DWORD thread_of_size(DWORD size, DWORD flags, DWORD bytes)
{
    DWORD exit_code = 0;
    HANDLE thread = CreateThread(NULL, size, uses_bytes, (LPVOID)(uintptr_t)bytes, flags, NULL);
    if (thread == NULL)
        return 0;
    WaitForSingleObject(thread, INFINITE);
    GetExitCodeThread(thread, &exit_code);
    CloseHandle(thread);
    return exit_code;
}

static DWORD child_of(LPCTSTR command);

static void stack_sizes(void)
{
    check(thread_of_size(USER_STACK_MOST_BYTES, STACK_SIZE_PARAM_IS_A_RESERVATION, USER_STACK_MOST_BYTES) == 1,
          "a thread has the stack that it is made with, up to 960 KiB");
    check(thread_of_size(1, STACK_SIZE_PARAM_IS_A_RESERVATION, PAGE) == 1
              && thread_of_size(0, STACK_SIZE_PARAM_IS_A_RESERVATION, USER_STACK_BYTES) == 1,
          "a size is rounded up to pages, and none is the usual one");
    check(thread_of_size(1, 0, USER_STACK_BYTES) == 1 && thread_of_size(MAXDWORD, 0, USER_STACK_BYTES) == 1,
          "without the flag a size is ignored");
    check(REFUSED(thread_of_size(USER_STACK_MOST_BYTES + 1, STACK_SIZE_PARAM_IS_A_RESERVATION, 0), 0,
                  ERROR_INVALID_PARAMETER)
              && REFUSED(thread_of_size(MAXDWORD, STACK_SIZE_PARAM_IS_A_RESERVATION, 0), 0, ERROR_INVALID_PARAMETER),
          "more than there may be is refused");
    check(child_of("small-stack") == EXCEPTION_EXIT_CODE && child_of("usual-stack") == EXCEPTION_EXIT_CODE
              && child_of("large-stack") == EXCEPTION_EXIT_CODE,
          "a thread that goes beyond its own stack, however large that is, ends its process");
}

// A process whose thread uses one page beyond its stack.
static DWORD child_beyond(LPCTSTR command)
{
    if (word_is(command, "small-stack"))
        return thread_of_size(2 * PAGE, STACK_SIZE_PARAM_IS_A_RESERVATION, 3 * PAGE);
    if (word_is(command, "usual-stack"))
        return thread_of_size(2 * PAGE, 0, USER_STACK_BYTES + PAGE);
    return thread_of_size(USER_STACK_MOST_BYTES, STACK_SIZE_PARAM_IS_A_RESERVATION, USER_STACK_MOST_BYTES + PAGE);
}

static void stacks(void)
{
    DWORD exit_code = 0;
    HANDLE thread = CreateThread(NULL, 0, uses_stack, NULL, 0, NULL);
    WaitForSingleObject(thread, INFINITE);
    check(GetExitCodeThread(thread, &exit_code) && exit_code == 1, "a thread has 60 KiB of stack and more");
    CloseHandle(thread);
}

// Uses all of the memory that is left.
static void use_all(void)
{
    char *page = VirtualAlloc(NULL, 32u << 20, MEM_RESERVE, PAGE_READWRITE);
    while (VirtualAlloc(page, PAGE, MEM_COMMIT, PAGE_READWRITE) != NULL)
        page += PAGE;
}

// Touches pages of the stack that are not present yet, unless they are locked. When all memory is used, the process survives only
// with locked pages.
static DWORD uses_stack_without_memory(LPVOID locks)
{
    volatile char room[8 * PAGE], *bottom = (volatile char *)((uintptr_t)room & ~(uintptr_t)(USER_STACK_BYTES - 1));
    if (locks != NULL && !LockPages((LPVOID)bottom, USER_STACK_BYTES, NULL, LOCKFLAG_WRITE))
        return 2;
    use_all();
    for (size_t i = 0; i < sizeof room; i += PAGE)
        room[i] = 1;
    bottom[0] = 1;
    return 0;
}

static void child_touches(LPVOID locks)
{
    DWORD exit_code = 3;
    HANDLE thread = CreateThread(NULL, 0, uses_stack_without_memory, locks, 0, NULL);
    WaitForSingleObject(thread, INFINITE);
    GetExitCodeThread(thread, &exit_code);
    ExitProcess(exit_code);
}

static DWORD child_of(LPCTSTR command)
{
    PROCESS_INFORMATION child;
    return child_start("memory", command, &child) ? child_join(&child) : MAXDWORD;
}

static void locks(void)
{
    static const char constant[PAGE] = {1};
    char *some = VirtualAlloc(NULL, 4 * PAGE, MEM_RESERVE, PAGE_READWRITE);
    VirtualAlloc(some, 2 * PAGE, MEM_COMMIT, PAGE_READWRITE);
    check(LockPages(some + 5, 2 * PAGE - 5, NULL, LOCKFLAG_WRITE) && UnlockPages(some, PAGE)
              && LockPages((LPVOID)constant, sizeof constant, NULL, LOCKFLAG_READ),
          "pages that are there are locked");
    check(REFUSED(LockPages(some, 3 * PAGE, NULL, LOCKFLAG_READ), FALSE, ERROR_NOACCESS)
              && REFUSED(LockPages((LPVOID)constant, PAGE, NULL, LOCKFLAG_WRITE), FALSE, ERROR_NOACCESS)
              && REFUSED(LockPages(NULL, PAGE, NULL, LOCKFLAG_READ), FALSE, ERROR_INVALID_PARAMETER)
              && REFUSED(LockPages((LPVOID)0x100000, PAGE, NULL, LOCKFLAG_READ), FALSE, ERROR_INVALID_PARAMETER)
              && REFUSED(LockPages((LPVOID)(USER_END - PAGE), 2 * PAGE, NULL, LOCKFLAG_READ), FALSE,
                         ERROR_INVALID_PARAMETER)
              && REFUSED(LockPages(some, 0, NULL, LOCKFLAG_READ), FALSE, ERROR_INVALID_PARAMETER)
              && REFUSED(LockPages(some, PAGE, NULL, 0), FALSE, ERROR_INVALID_PARAMETER),
          "those that are not, only to be read, or not the process's are refused");
    VirtualFree(some, 0, MEM_RELEASE);
    check(child_of("locked") == 0, "a stack that is locked is there when no memory is left");
    check(child_of("unlocked") == EXCEPTION_EXIT_CODE, "one that is not ends its process then");
}

#define LOW_PAGES 300
#define CRITICAL_PAGES 100

// Allocates until this many pages at once are refused. Returns the number of blocks.
static unsigned take_until_refused(char *blocks[], unsigned room, DWORD pages)
{
    unsigned count = 0;
    while (count < room && (blocks[count] = VirtualAlloc(NULL, pages * PAGE, MEM_COMMIT, PAGE_READWRITE)) != NULL)
        count++;
    return count;
}

static void low_memory(void)
{
    static char *blocks[40], *small[60], *least[8];
    HANDLE event = CreateEvent(NULL, FALSE, FALSE, NULL);
    check(SetOomEvent(event, LOW_PAGES, CRITICAL_PAGES, 16, 4) && WaitForSingleObject(event, 0) == WAIT_TIMEOUT,
          "with memory enough nobody is told");
    unsigned large = take_until_refused(blocks, LENGTH(blocks), 64);
    check(large > 20 && large < LENGTH(blocks) && GetLastError() == ERROR_NOT_ENOUGH_MEMORY
              && WaitForSingleObject(event, 0) == WAIT_TIMEOUT,
          "a large block that would take the last of it is refused");
    unsigned some = take_until_refused(small, LENGTH(small), 16);
    check(some > 0 && some < 20 && WaitForSingleObject(event, 0) == WAIT_OBJECT_0,
          "a small one is not, and the event is set");
    unsigned few = take_until_refused(least, LENGTH(least) - 1, 5);
    least[few] = VirtualAlloc(NULL, 4 * PAGE, MEM_COMMIT, PAGE_READWRITE);
    check(few < 4 && least[few] != NULL && WaitForSingleObject(event, 0) == WAIT_OBJECT_0,
          "at the critical bound only the smallest are given, and it is set again");
    for (unsigned i = 0; i <= few; i++)
        VirtualFree(least[i], 0, MEM_RELEASE);
    while (some > 0)
        VirtualFree(small[--some], 0, MEM_RELEASE);
    while (large > 0)
        VirtualFree(blocks[--large], 0, MEM_RELEASE);
    check(REFUSED(SetOomEvent(event, 1, 2, 1, 1), FALSE, ERROR_INVALID_PARAMETER)
              && REFUSED(SetOomEvent((HANDLE)0x100000, 2, 1, 1, 1), FALSE, ERROR_INVALID_HANDLE)
              && REFUSED(SetOomEvent(GetCurrentProcess(), 2, 1, 1, 1), FALSE, ERROR_INVALID_HANDLE),
          "bounds in the wrong order, and what is no event, are refused");
    check(child_of("low") == 0, "one process at a time is told");
    check(SetOomEvent(NULL, 0, 0, 0, 0) && child_of("low-after") == 0, "and another when it wants to know no more");
    CloseHandle(event);
}

static DWORD child_low(DWORD error)
{
    HANDLE event = CreateEvent(NULL, FALSE, FALSE, NULL);
    return error == ERROR_SUCCESS ? !SetOomEvent(event, 2, 1, 1, 1)
                                  : !REFUSED(SetOomEvent(event, 2, 1, 1, 1), FALSE, error);
}

DWORD program_main(LPCTSTR command)
{
    if (word_is(command, "low") || word_is(command, "low-after"))
        return child_low(word_is(command, "low") ? ERROR_BUSY : ERROR_SUCCESS);
    if (word_is(command, "small-stack") || word_is(command, "usual-stack") || word_is(command, "large-stack"))
        return child_beyond(command);
    if (command[0] != '\0')
        child_touches(word_is(command, "locked") ? child_touches : NULL);
    reserve();
    exhaust();
    pointers();
    changes();
    stacks();
    stack_sizes();
    locks();
    low_memory();
    return checks_failed();
}
