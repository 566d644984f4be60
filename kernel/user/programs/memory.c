// SPDX-License-Identifier: MIT OR Apache-2.0
// Checks of a process's memory: VirtualAlloc, stacks, and system calls with pointers that lead nowhere good.
#include "process/layout.h"
#include "user/check.h"

#define BLOCK 0x10000u
#define PAGE 0x1000u
#define CHANGES 5
#define HIGH 249 // among the last eight, so that they differ with eight levels too
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

// A pointer that a call may not use: the call is not made.
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
        wrong += !REFUSED(QueryPerformanceCounter((LARGE_INTEGER *)to), FALSE, ERROR_NOACCESS);
    }
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

// In the midst of calls their caller's page goes away and comes back: they work or say so.
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

// Whole stacks are used, page by page as they are touched.
static DWORD uses_stack(LPVOID unused)
{
    (void)unused;
    volatile char room[USER_STACK_BYTES - 0x1000];
    for (size_t i = 0; i < sizeof room; i += PAGE)
        room[i] = 1;
    return room[0];
}

static void stacks(void)
{
    DWORD exit_code = 0;
    HANDLE thread = CreateThread(NULL, 0, uses_stack, NULL, 0, NULL);
    WaitForSingleObject(thread, INFINITE);
    check(GetExitCodeThread(thread, &exit_code) && exit_code == 1, "a thread has 60 KiB of stack and more");
    CloseHandle(thread);
}

DWORD program_main(LPCTSTR command)
{
    (void)command;
    reserve();
    exhaust();
    pointers();
    changes();
    stacks();
    return checks_failed();
}
