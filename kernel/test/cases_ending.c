// SPDX-License-Identifier: MIT OR Apache-2.0
// Cases of threads that other threads end, in any state: what they own is passed on, and they leave all waits.
#include "test/cases.h"

static DWORD owns_and_waits(LPVOID letter)
{
    WaitForSingleObject(lock_1, INFINITE);
    WaitForSingleObject(event_1, INFINITE);
    pass((char)(uintptr_t)letter);
    return 0;
}

static DWORD wants_lock_1(LPVOID letter)
{
    DWORD result = WaitForSingleObject(lock_1, INFINITE);
    pass(result == WAIT_ABANDONED_0 ? 'A' : (char)(uintptr_t)letter);
    return 0;
}

static bool ended_with(HANDLE thread, DWORD code)
{
    DWORD found;
    return GetExitCodeThread(thread, &found) && found == code && WaitForSingleObject(thread, 0) == WAIT_OBJECT_0;
}

static void an_ended_owner_s_mutex_goes_on(void)
{
    start("detent");
    HANDLE owner = spawn(owns_and_waits, 'o', 50);
    spawn(wants_lock_1, 'w', 20);
    check(current_priority(owner) == 20, "an owner inherits before it is ended");
    check(TerminateThread(owner, 7) && ended_with(owner, 7), "a waiting thread is ended, with its code");
    check(order_was("A"), "its mutex is abandoned to who waits for it");
    SetEvent(event_1);
    check(WaitForSingleObject(event_1, 0) == WAIT_OBJECT_0, "and it waits for nothing any more");
    check(!TerminateThread(owner, 8) && GetLastError() == ERROR_ACCESS_DENIED && ended_with(owner, 7),
          "an ended thread is not ended again");
    HANDLE stale = owner;
    CloseHandle(owner);
    HANDLE next = spawn(waits_for_event_1, 'x', 10);
    check(HANDLE_INDEX(next, THREADS_MAX) == HANDLE_INDEX(stale, THREADS_MAX),
          "its place and its stack are free again");
    check(!TerminateThread(stale, 1) && GetLastError() == ERROR_INVALID_HANDLE, "and its handle is none");
    check(!TerminateThread(event_1, 1) && GetLastError() == ERROR_INVALID_HANDLE, "as another object's is not");
}

static void a_waiter_that_is_ended_lends_no_more(void)
{
    start("detent");
    HANDLE owner = spawn(owns_and_waits, 'o', 50), waiter = spawn(wants_lock_1, 'w', 20);
    TerminateThread(waiter, 1);
    check(current_priority(owner) == 50, "a waiter that is ended lends nothing any more");
    SetEvent(event_1);
    check(order_was("o"), "and is not handed the lock");
}

static DWORD waits_for_many(LPVOID letter)
{
    HANDLE list[3] = {event_1, lock_1, event_2};
    WaitForMultipleObjects(3, list, FALSE, 100);
    pass((char)(uintptr_t)letter);
    return 0;
}

static void one_that_waits_for_many_leaves_them_all(void)
{
    start("detent");
    HANDLE owner = spawn(owns_and_waits, 'o', 50), many = spawn(waits_for_many, 'm', 20);
    check(current_priority(owner) == 20 && TerminateThread(many, 1) && current_priority(owner) == 50,
          "who waits for several is ended, and lends nothing");
    tick(200);
    SetEvent(event_2);
    check(WaitForSingleObject(event_2, 0) == WAIT_OBJECT_0 && order_was(""), "it has left them all, and its timeout");
}

static DWORD ends_the_ready_one(LPVOID thread)
{
    TerminateThread(thread, 4);
    pass('e');
    return 0;
}

static void ready_and_suspended_threads_are_ended(void)
{
    start("detent");
    HANDLE ready = CreateThread(NULL, 0, waits_for_event_1, (LPVOID)'r', CREATE_SUSPENDED, NULL);
    check(TerminateThread(ready, 4) && ended_with(ready, 4), "a suspended thread is ended");
    check(ResumeThread(ready) == 0 && order_was(""), "and resuming it does nothing");
    check(SuspendThread(ready) == MAXDWORD && GetLastError() == ERROR_SIGNAL_REFUSED, "nor does suspending it");
    HANDLE low = CreateThread(NULL, 0, sets_event_1, NULL, CREATE_SUSPENDED, NULL);
    HANDLE high = CreateThread(NULL, 0, ends_the_ready_one, low, CREATE_SUSPENDED, NULL);
    CeSetThreadPriority(low, 60), CeSetThreadPriority(high, 60);
    kernel_enter();
    ResumeThread(high), ResumeThread(low);
    kernel_leave();
    check(order_was("e") && ended_with(low, 4) && WaitForSingleObject(event_1, 0) == WAIT_TIMEOUT,
          "a ready thread is ended before it runs");
}

static DWORD ends_itself(LPVOID by_pseudo_handle)
{
    WaitForSingleObject(lock_1, INFINITE);
    TerminateThread(by_pseudo_handle != NULL ? GetCurrentThread() : (HANDLE)(uintptr_t)GetCurrentThreadId(), 9);
    pass('!');
    return 0;
}

static void a_thread_ends_itself(void)
{
    start("detent");
    HANDLE a = spawn(ends_itself, 0, 20), b = spawn(ends_itself, 1, 20);
    check(ended_with(a, 9) && ended_with(b, 9) && order_was(""), "TerminateThread ends its caller, by either handle");
}

static DWORD holds_a_section(LPVOID section)
{
    EnterCriticalSection(section);
    WaitForSingleObject(event_1, INFINITE);
    return 0;
}

static DWORD wants_a_section(LPVOID section)
{
    EnterCriticalSection(section);
    pass(GetLastError() == ERROR_ABANDONED_WAIT_0 ? 'A' : 's');
    LeaveCriticalSection(section);
    return 0;
}

static void an_ended_owner_s_sections_go_on(void)
{
    static CRITICAL_SECTION section;
    start("detent");
    InitializeCriticalSection(&section);
    HANDLE owner = spawn(holds_a_section, (uintptr_t)&section, 50);
    spawn(wants_a_section, (uintptr_t)&section, 20);
    TerminateThread(owner, 1);
    check(order_was("A"), "a section whose owner is ended goes to who waits, who is told");
    owner = spawn(holds_a_section, (uintptr_t)&section, 50);
    TerminateThread(owner, 1);
    spawn(wants_a_section, (uintptr_t)&section, 20);
    check(order_was("AA"), "and so it does when nobody waited yet");
}

static DWORD ends_the_caller(LPVOID letter)
{
    WaitForSingleObject(event_2, INFINITE);
    pass((char)(uintptr_t)letter);
    TerminateThread(lock_1, 1); // ends the caller of the broadcast
    return 0;
}

static void an_ended_broadcaster_strands_nobody(void)
{
    start("detent");
    event_1 = CreateEvent(NULL, TRUE, FALSE, NULL);
    for (unsigned i = 0; i < 3; i++)
        spawn(waits_for_event_1, 'a' + i, 10 + (int)i);
    HANDLE setter = interrupted(sets_event_1, ends_the_caller);
    check(order_was("iabc") && ended_with(setter, 1), "who is ended within a broadcast has answered all");
}

static HANDLE victim;

static DWORD creates_an_event(LPVOID unused)
{
    (void)unused;
    CreateEvent(NULL, FALSE, FALSE, "created");
    pass('c');
    return 0;
}

static void ends_the_creator(void)
{
    if (kernel.current->object.handle != (uintptr_t)victim)
        return;
    port_before_close = NULL;
    port_interrupt(DEVICE);
}

static DWORD ends_the_victim(LPVOID unused)
{
    (void)unused;
    WaitForSingleObject(event_2, INFINITE);
    pass(TerminateThread(victim, 1) ? 't' : 'f');
    return 0;
}

static void nobody_is_ended_in_the_midst_of_creating(void)
{
    start("detent");
    InterruptInitialize(DEVICE, event_2, NULL, 0);
    spawn(ends_the_victim, 0, 1);
    victim = CreateThread(NULL, 0, creates_an_event, NULL, CREATE_SUSPENDED, NULL);
    port_before_close = ends_the_creator; // runs inside CreateEvent, while that holds the lock on all objects
    ResumeThread(victim);
    port_before_close = NULL;
    unsigned taken = 0;
    for (unsigned i = 0; i < EVENTS_MAX; i++)
        taken += !object_is_free(&events[i].object);
    check(order_was("t") && taken == 3 && CreateEvent(NULL, FALSE, FALSE, "created") != NULL
              && GetLastError() == ERROR_ALREADY_EXISTS,
          "a thread that creates an object is ended once the object is whole");
}

void cases_of_ending(void)
{
    an_ended_owner_s_mutex_goes_on();
    a_waiter_that_is_ended_lends_no_more();
    one_that_waits_for_many_leaves_them_all();
    ready_and_suspended_threads_are_ended();
    a_thread_ends_itself();
    an_ended_owner_s_sections_go_on();
    an_ended_broadcaster_strands_nobody();
    nobody_is_ended_in_the_midst_of_creating();
}
