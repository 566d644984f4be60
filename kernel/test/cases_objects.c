// SPDX-License-Identifier: MIT OR Apache-2.0
// Cases of names, handles, errors, pulses and interlocked operations.
#include "test/cases.h"

static void names_find_objects(void)
{
    start("detent");
    HANDLE a = CreateEvent(NULL, FALSE, TRUE, "one"), b = CreateEvent(NULL, FALSE, FALSE, "one");
    check(a == b && GetLastError() == ERROR_ALREADY_EXISTS, "a name that exists opens its object");
    check(CreateEvent(NULL, FALSE, FALSE, "One") != a && GetLastError() == 0, "names know upper and lower case");
    check(CreateMutex(NULL, FALSE, "one") != NULL && GetLastError() == 0, "each kind has names of its own");
    HANDLE empty = CreateEvent(NULL, FALSE, FALSE, "");
    check(CreateEvent(NULL, FALSE, FALSE, "") == empty, "the empty name is a name");
    check(CreateEvent(NULL, FALSE, FALSE, "a\\b") == NULL, "a backslash is refused");
    char longer[NAME_CHARS_MAX + 1];
    memset(longer, 'x', sizeof longer - 1), longer[sizeof longer - 1] = '\0';
    check(CreateEvent(NULL, FALSE, FALSE, longer) == NULL && GetLastError() == ERROR_FILENAME_EXCED_RANGE,
          "a name of more than 259 characters is refused");
    longer[NAME_CHARS_MAX - 1] = '\0';
    HANDLE longest = CreateEvent(NULL, FALSE, FALSE, longer);
    longer[NAME_CHARS_MAX - 2] = 'y';
    HANDLE differs = CreateEvent(NULL, FALSE, FALSE, longer);
    check(longest != NULL && differs != NULL && longest != differs
              && CreateEvent(NULL, FALSE, FALSE, longer) == differs,
          "one of 259 is taken whole");
    CloseHandle(b);
    check(WaitForSingleObject(a, 0) == WAIT_OBJECT_0, "an object lives until its last handle is closed");
    CloseHandle(a);
    check(WaitForSingleObject(a, 0) == WAIT_FAILED && GetLastError() == ERROR_INVALID_HANDLE, "and not longer");
}

static void tables_end_and_handles_do_not_come_back(void)
{
    start("detent");
    HANDLE seen[EVENTS_MAX];
    unsigned count = 0;
    while (count < EVENTS_MAX && (seen[count] = CreateEvent(NULL, FALSE, FALSE, NULL)) != NULL)
        count++;
    check(count == EVENTS_MAX - 2 && GetLastError() == ERROR_NOT_ENOUGH_MEMORY, "a full table is an error");
    bool distinct = true;
    HANDLE old = seen[0];
    for (unsigned i = 0; i < 1000; i++) {
        CloseHandle(seen[0]);
        seen[0] = CreateEvent(NULL, FALSE, FALSE, NULL);
        distinct &= seen[0] != old && seen[0] != NULL && !SetEvent(old);
    }
    check(distinct, "the handle of a closed object stays invalid");
}

static void wrong_arguments_have_their_errors(void)
{
    start("detent");
    HANDLE semaphore = CreateSemaphore(NULL, 1, 2, NULL);
    LONG previous = 9;
    check(!ReleaseSemaphore(semaphore, 2, &previous) && previous == 9 && GetLastError() == ERROR_TOO_MANY_POSTS,
          "a release beyond the maximum changes nothing");
    check(ReleaseSemaphore(semaphore, 1, &previous) && previous == 1, "the previous count is told");
    check(!ReleaseSemaphore(semaphore, 0, NULL) && GetLastError() == ERROR_INVALID_PARAMETER,
          "a release of 0 is refused");
    check(CreateSemaphore(NULL, 3, 2, NULL) == NULL && CreateSemaphore(NULL, 0, 0, NULL) == NULL
              && CreateSemaphore(NULL, -1, 2, NULL) == NULL,
          "a semaphore's counts must make sense");
    check(!ReleaseMutex(lock_1) && GetLastError() == ERROR_NOT_OWNER, "only the owner releases a mutex");
    check(CreateThread(NULL, 0, NULL, NULL, 0, NULL) == NULL && GetLastError() == ERROR_INVALID_PARAMETER,
          "a thread needs a start");
    check(!CeSetThreadPriority(GetCurrentThread(), 256), "there is no priority 256");
    HANDLE list[1] = {event_1};
    check(WaitForMultipleObjects(1, list, TRUE, 0) == WAIT_FAILED, "waiting for all does not exist");
    check(WaitForMultipleObjects(0, list, FALSE, 0) == WAIT_FAILED
              && WaitForMultipleObjects(65, list, FALSE, 0) == WAIT_FAILED,
          "1 to 64 objects");
    check(CeGetThreadQuantum(event_1) == MAXDWORD && SuspendThread(event_1) == MAXDWORD, "an event is no thread");
}

static void pulses_keep_nothing(void)
{
    start("detent");
    PulseEvent(event_1);
    check(WaitForSingleObject(event_1, 0) == WAIT_TIMEOUT, "a pulse without waiters is lost");
    HANDLE manual = CreateEvent(NULL, TRUE, FALSE, NULL);
    event_1 = manual;
    spawn(waits_for_event_1, 'a', 10), spawn(waits_for_event_1, 'b', 5);
    spawn(sets_event_1, true, 200);
    check(order_was("ba") && WaitForSingleObject(manual, 0) == WAIT_TIMEOUT,
          "a manual-reset pulse releases all, the highest first");
}

static void modify_is_set_reset_and_pulse(void)
{
    start("detent");
    check(EventModify(event_1, EVENT_SET) && EventModify(event_1, EVENT_RESET)
              && WaitForSingleObject(event_1, 0) == WAIT_TIMEOUT,
          "EventModify sets and resets");
    spawn(waits_for_event_1, 'a', 10);
    check(EventModify(event_1, EVENT_PULSE) && order_was("a"), "and pulses");
    check(!EventModify(event_1, 0) && GetLastError() == ERROR_INVALID_PARAMETER, "and nothing else");
    check(!EventModify(lock_1, EVENT_SET) && GetLastError() == ERROR_INVALID_HANDLE, "events only");
}

static void interlocked_operations_return_what_they_must(void)
{
    LONG value = 5;
    check(InterlockedIncrement(&value) == 6 && InterlockedDecrement(&value) == 5,
          "increment and decrement: the new value");
    check(InterlockedExchange(&value, 9) == 5 && value == 9, "exchange: the old value");
    check(InterlockedTestExchange(&value, 9, 1) == 9 && value == 1, "test and exchange: changed when equal");
    check(InterlockedTestExchange(&value, 9, 2) == 1 && value == 1, "and else not");
    check(InterlockedExchangeAdd(&value, 4) == 1 && value == 5, "add: the old value");
}

void cases_of_objects(void)
{
    names_find_objects();
    tables_end_and_handles_do_not_come_back();
    wrong_arguments_have_their_errors();
    pulses_keep_nothing();
    modify_is_set_reset_and_pulse();
    interlocked_operations_return_what_they_must();
}
