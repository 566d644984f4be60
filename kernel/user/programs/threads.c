// SPDX-License-Identifier: MIT OR Apache-2.0
// Checks threads and processes: how they start, end each other, and what they leave behind. With an argument, this
// program acts as the helper process of one of the checks.
#include "user/check.h"

#define WAIT_MS 100

static HANDLE nobody_sets;

static DWORD returns(LPVOID argument)
{
    return (DWORD)(uintptr_t)argument + 1;
}

static DWORD waits(LPVOID object)
{
    return WaitForSingleObject(object, INFINITE);
}

static DWORD ends_process(LPVOID exit_code)
{
    ExitProcess((DWORD)(uintptr_t)exit_code);
}

static DWORD outlives(LPVOID exit_code)
{
    Sleep(2);
    return (DWORD)(uintptr_t)exit_code;
}

static HANDLE thread(LPTHREAD_START_ROUTINE start, uintptr_t argument)
{
    return CreateThread(NULL, 0, start, (LPVOID)argument, 0, NULL);
}

static void child_ends_by_thread(void)
{
    thread(ends_process, 7);
    WaitForSingleObject(nobody_sets, INFINITE);
}

static void child_outlived(void)
{
    thread(outlives, 8);
    ExitThread(1);
}

static void child_waits(void)
{
    thread(waits, (uintptr_t)nobody_sets);
    thread(waits, (uintptr_t)nobody_sets);
    WaitForSingleObject(nobody_sets, INFINITE);
}

static DWORD exit_code_of(LPCTSTR command)
{
    PROCESS_INFORMATION child;
    return child_start("threads", command, &child) ? child_join(&child) : 0;
}

static void within(void)
{
    DWORD exit_code = 0;
    HANDLE one = thread(returns, 41), other = thread(waits, (uintptr_t)nobody_sets);
    check(WaitForSingleObject(one, WAIT_MS) == WAIT_OBJECT_0 && GetExitCodeThread(one, &exit_code) && exit_code == 42,
          "a thread returns its exit code");
    Sleep(1);
    check(SuspendThread(other) == 0 && ResumeThread(other) == 1 && TerminateThread(other, 9)
              && WaitForSingleObject(other, WAIT_MS) == WAIT_OBJECT_0 && GetExitCodeThread(other, &exit_code)
              && exit_code == 9,
          "a thread that waits is suspended, resumed and ended by another");
    check(REFUSED(TerminateThread(other, 9), FALSE, ERROR_ACCESS_DENIED), "one that has ended is not ended again");
    CloseHandle(one);
    CloseHandle(other);
}

static void many(void)
{
    HANDLE all[20];
    unsigned count = 0;
    while (count < LENGTH(all) && (all[count] = thread(waits, (uintptr_t)nobody_sets)) != NULL)
        count++;
    check(count == 15 && GetLastError() == ERROR_NOT_ENOUGH_MEMORY, "a process has 16 threads at most");
    bool ended = true;
    while (count > 0) {
        ended &= TerminateThread(all[--count], 0);
        CloseHandle(all[count]);
    }
    HANDLE again = thread(returns, 0);
    check(ended && again != NULL && WaitForSingleObject(again, WAIT_MS) == WAIT_OBJECT_0,
          "and their places are free again");
    CloseHandle(again);
}

static void ends(void)
{
    check(exit_code_of("thread") == 7, "any thread ends its process");
    check(exit_code_of("outlived") == 8, "a process ends with its last thread");
}

static void by_another(void)
{
    PROCESS_INFORMATION child;
    DWORD exit_code = 0;
    bool started = child_start("threads", "waits", &child);
    Sleep(2);
    check(started && WaitForSingleObject(child.hProcess, 0) == WAIT_TIMEOUT
              && GetExitCodeProcess(child.hProcess, &exit_code) && exit_code == STILL_ACTIVE,
          "a process that runs is not signalled");
    HANDLE any[] = {nobody_sets, child.hProcess};
    check(TerminateProcess(child.hProcess, 3) && WaitForMultipleObjects(2, any, FALSE, WAIT_MS) == WAIT_OBJECT_0 + 1,
          "one that waits with three threads is ended, and that is an answer to a wait for several");
    check(REFUSED(TerminateProcess(child.hProcess, 4), FALSE, ERROR_ACCESS_DENIED)
              && REFUSED(TerminateProcess(nobody_sets, 4), FALSE, ERROR_INVALID_HANDLE)
              && REFUSED(SetEvent(child.hProcess), FALSE, ERROR_INVALID_HANDLE)
              && REFUSED(SuspendThread(child.hProcess), MAXDWORD, ERROR_INVALID_HANDLE),
          "a process is no thread, and no event, and ends once");
    check(child_join(&child) == 3, "its exit code is who ended it's");
}

static void suspended(void)
{
    PROCESS_INFORMATION child;
    DWORD exit_code = 0;
    bool started = CreateProcess("hello", "abc", NULL, NULL, FALSE, CREATE_SUSPENDED, NULL, NULL, NULL, &child);
    Sleep(2);
    check(started && GetExitCodeProcess(child.hProcess, &exit_code) && exit_code == STILL_ACTIVE
              && ResumeThread(child.hThread) == 1 && child_join(&child) == 3,
          "a process is made suspended, and resumed by its thread");
    check(REFUSED(child_start("none", "", &child), FALSE, ERROR_FILE_NOT_FOUND),
          "a program that is not there is refused");
}

DWORD program_main(LPCTSTR command)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {{"thread", child_ends_by_thread},
                 {"outlived", child_outlived},
                 {"waits", child_waits},
                 {"", within},
                 {"", many},
                 {"", ends},
                 {"", by_another},
                 {"", suspended}};
    nobody_sets = CreateEvent(NULL, FALSE, FALSE, NULL);
    for (size_t i = 0; i < LENGTH(parts); i++)
        if (word_is(command, parts[i].name))
            parts[i].run();
    return checks_failed();
}
