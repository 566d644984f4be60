// SPDX-License-Identifier: MIT OR Apache-2.0
// Checks what a process may do with interrupts. An empty command line: it has no permission. "free": it may use SYSINTR_FREE, and
// SYSINTR_TAKEN, which the kernel uses.
#include "user/check.h"

#define SYSINTR_FREE 45u
#define SYSINTR_TAKEN 46u
#define SYSINTR_CASCADE 26u // of line 2, whose input of the interrupt controller belongs to another timer

static void without_leave(void)
{
    HANDLE event = CreateEvent(NULL, FALSE, FALSE, NULL);
    unsigned wrong = 0;
    for (DWORD sysintr = SYSINTR_DEVICES; sysintr < SYSINTR_MAXIMUM; sysintr++) {
        wrong += !REFUSED(InterruptInitialize(sysintr, event, NULL, 0), FALSE, ERROR_ACCESS_DENIED);
        wrong += !REFUSED((InterruptDisable(sysintr), TRUE), TRUE, ERROR_ACCESS_DENIED);
        wrong += !REFUSED((InterruptDone(sysintr), TRUE), TRUE, ERROR_ACCESS_DENIED);
    }
    check(wrong == 0, "no interrupt is initialized, ended or disabled by a process without leave");
    CloseHandle(event);
}

static void out_of_range(void)
{
    HANDLE event = CreateEvent(NULL, FALSE, FALSE, NULL);
    check(REFUSED(InterruptInitialize(SYSINTR_RESCHED, event, NULL, 0), FALSE, ERROR_INVALID_PARAMETER)
              && REFUSED(InterruptInitialize(SYSINTR_MAXIMUM, event, NULL, 0), FALSE, ERROR_INVALID_PARAMETER)
              && REFUSED(InterruptInitialize(MAXDWORD, event, NULL, 0), FALSE, ERROR_INVALID_PARAMETER)
              && REFUSED((InterruptDisable(MAXDWORD), TRUE), TRUE, ERROR_ACCESS_DENIED),
          "the kernel's own, and what is none, is refused whatever was permitted");
    CloseHandle(event);
}

static void with_leave(void)
{
    HANDLE event = CreateEvent(NULL, FALSE, FALSE, NULL), other = CreateEvent(NULL, FALSE, FALSE, NULL);
    check(REFUSED(InterruptInitialize(SYSINTR_TAKEN, event, NULL, 0), FALSE, ERROR_BUSY)
              && REFUSED((InterruptDisable(SYSINTR_TAKEN), TRUE), TRUE, ERROR_ACCESS_DENIED),
          "one that the kernel has is neither had nor disabled by who may have it");
    check(REFUSED(InterruptInitialize(SYSINTR_CASCADE, event, NULL, 0), FALSE, ERROR_ACCESS_DENIED),
          "one that was not permitted is refused beside one that was");
    check(REFUSED(InterruptInitialize(SYSINTR_FREE, (HANDLE)0x100000, NULL, 0), FALSE, ERROR_INVALID_PARAMETER)
              && REFUSED(InterruptInitialize(SYSINTR_FREE, event, NULL, 0), TRUE, ERROR_SUCCESS)
              && REFUSED(InterruptInitialize(SYSINTR_FREE, other, NULL, 0), FALSE, ERROR_BUSY),
          "one that was is initialized, with an event, once");
    PROCESS_INFORMATION child;
    check(child_start("interrupts", "child", &child) && child_join(&child) == 0,
          "what it starts may do the same, and has not what is its own");
    check(REFUSED((InterruptDone(SYSINTR_FREE), TRUE), TRUE, ERROR_SUCCESS)
              && REFUSED((InterruptDisable(SYSINTR_FREE), TRUE), TRUE, ERROR_SUCCESS)
              && REFUSED((InterruptDisable(SYSINTR_FREE), TRUE), TRUE, ERROR_ACCESS_DENIED),
          "its own is ended, and disabled once");
    CloseHandle(event);
    CloseHandle(other);
}

static void child(void)
{
    HANDLE event = CreateEvent(NULL, FALSE, FALSE, NULL);
    check(REFUSED(InterruptInitialize(SYSINTR_FREE, event, NULL, 0), FALSE, ERROR_BUSY)
              && REFUSED((InterruptDisable(SYSINTR_FREE), TRUE), TRUE, ERROR_ACCESS_DENIED)
              && REFUSED((InterruptDone(SYSINTR_FREE), TRUE), TRUE, ERROR_ACCESS_DENIED),
          "its maker's interrupt is not its own");
}

DWORD program_main(LPCTSTR command)
{
    out_of_range();
    if (word_is(command, "child"))
        child();
    else if (word_is(command, "free"))
        with_leave();
    else
        without_leave();
    return checks_failed();
}
