// SPDX-License-Identifier: MIT OR Apache-2.0
// Cases of wrong or unlucky use: closing twice, closing during a call, owners that end, full tables.
#include "core/broadcast.h"
#include "core/objects.h"
#include "test/cases.h"

#define SEMAPHORE_MAXIMUM 2
#define SECTIONS 300

// ---- handles ----

static void a_thread_s_handles_are_not_its_life(void)
{
    start("detent");
    HANDLE thread = spawn(waits_for_event_1, 'x', 10);
    check(CloseHandle(thread), "a running thread's handle can be closed");
    check(!CloseHandle(thread) && GetLastError() == ERROR_INVALID_HANDLE, "but once only");
    HANDLE other = spawn(waits_for_event_1, 'y', 11);
    check(HANDLE_INDEX(other, THREADS_MAX) != HANDLE_INDEX(thread, THREADS_MAX), "the thread lives on in its place");
    SetEvent(event_1);
    check(order_was("x"), "and is answered");
}

static DWORD closes_itself(LPVOID letter)
{
    CloseHandle(GetCurrentThread());
    pass((char)(uintptr_t)letter);
    return 7;
}

static void the_current_thread_s_handle_is_nobody_s(void)
{
    start("detent");
    DWORD code = 0;
    CloseHandle(spawn(closes_itself, 'c', 10));
    HANDLE thread = spawn(closes_itself, 'd', 10);
    check(order_was("cd") && GetExitCodeThread(thread, &code) && code == 7,
          "closing GetCurrentThread's handle closes nothing");
}

static void small_numbers_are_no_handles(void)
{
    start("detent");
    for (uintptr_t value = 0; value < HANDLE_GENERATION; value++) {
        HANDLE handle = (HANDLE)value;
        if (handle == HANDLE_CURRENT_THREAD)
            continue;
        bool taken = SetEvent(handle) || ReleaseMutex(handle) || ReleaseSemaphore(handle, 1, NULL)
                     || CeSetThreadPriority(handle, 5) || WaitForSingleObject(handle, 0) != WAIT_FAILED;
        if (taken) {
            check(false, "no number below the first generation is a handle");
            return;
        }
    }
    check(true, "no number below the first generation is a handle");
}

static HANDLE victim, successor;

// An interrupt's thread closes the object and creates another one before the call closes the gate.
static void event_is_replaced(void)
{
    port_before_close = NULL;
    CloseHandle(victim);
    successor = CreateEvent(NULL, FALSE, FALSE, NULL);
}

static void mutex_is_replaced(void)
{
    port_before_close = NULL;
    CloseHandle(victim);
    successor = CreateMutex(NULL, FALSE, NULL);
}

static DWORD nothing(LPVOID unused)
{
    (void)unused;
    return 0;
}

static void thread_is_replaced(void)
{
    port_before_close = NULL;
    ResumeThread(victim);
    CloseHandle(victim);
    successor = CreateThread(NULL, 0, nothing, NULL, CREATE_SUSPENDED, NULL);
}

static void a_call_never_acts_on_another_object(void)
{
    start("detent");
    victim = CreateEvent(NULL, FALSE, FALSE, NULL), port_before_close = event_is_replaced;
    check(!SetEvent(victim) && WaitForSingleObject(successor, 0) == WAIT_TIMEOUT,
          "SetEvent, closed and made anew within it");
    victim = CreateMutex(NULL, FALSE, NULL), port_before_close = mutex_is_replaced;
    check(WaitForSingleObject(victim, 0) == WAIT_FAILED && ((struct mutex *)object_find(successor))->lock.owner == NULL,
          "WaitForSingleObject for a mutex, likewise");
    victim = CreateThread(NULL, 0, nothing, NULL, CREATE_SUSPENDED, NULL), port_before_close = thread_is_replaced;
    check(SuspendThread(victim) == MAXDWORD && ResumeThread(successor) == 1, "SuspendThread, likewise");
}

static void opens_of_a_name_do_not_wrap(void)
{
    start("detent");
    HANDLE event = CreateEvent(NULL, FALSE, FALSE, "many");
    unsigned opens = 1;
    while (opens < 70000 && CreateEvent(NULL, FALSE, FALSE, "many") == event)
        opens++;
    check(opens == OBJECT_OPENS_MAX && GetLastError() == ERROR_NOT_ENOUGH_MEMORY,
          "a name is opened so often and no more");
    CloseHandle(event);
    check(SetEvent(event), "and its object is still there when one handle is closed");
}

// ---- broadcasts ----

static DWORD pulses(LPVOID unused)
{
    (void)unused;
    PulseEvent(event_1);
    return 0;
}

static DWORD releases_two(LPVOID unused)
{
    (void)unused;
    if (ReleaseSemaphore(event_1, SEMAPHORE_MAXIMUM, NULL))
        pass('r');
    return 0;
}

static DWORD waits_for_event_2_once(LPVOID letter)
{
    WaitForSingleObject(event_2, INFINITE);
    pass((char)(uintptr_t)letter);
    return 0;
}

static DWORD sets_when_released(LPVOID letter)
{
    WaitForSingleObject(event_1, INFINITE);
    SetEvent(event_1);
    pass((char)(uintptr_t)letter);
    return 0;
}

static void a_pulse_does_not_erase_a_later_set(void)
{
    start("detent");
    event_1 = CreateEvent(NULL, TRUE, FALSE, NULL);
    spawn(sets_when_released, 'a', 10), spawn(waits_for_event_1, 'b', 20), spawn(waits_for_event_1, 'c', 20);
    interrupted(pulses, waits_for_event_2_once);
    check(order_was("iabc") && WaitForSingleObject(event_1, 0) == WAIT_OBJECT_0,
          "a set by a thread that a pulse has released is after the pulse");
}

static DWORD releases_two_itself(LPVOID letter)
{
    WaitForSingleObject(event_2, INFINITE);
    pass((char)(uintptr_t)letter);
    if (ReleaseSemaphore(event_1, SEMAPHORE_MAXIMUM, NULL))
        pass('R');
    return 0;
}

static void counts_that_belong_to_waiters_are_not_in_the_way(void)
{
    start("detent");
    event_1 = CreateSemaphore(NULL, 0, SEMAPHORE_MAXIMUM, NULL);
    spawn(waits_for_event_1, 'a', 10), spawn(waits_for_event_1, 'b', 20);
    interrupted(releases_two, releases_two_itself);
    check(order_was("iRabr"), "a release within a release is not refused for what belongs to waiters");
    check(WaitForSingleObject(event_1, 0) == WAIT_OBJECT_0 && WaitForSingleObject(event_1, 0) == WAIT_OBJECT_0
              && WaitForSingleObject(event_1, 0) == WAIT_TIMEOUT,
          "and is the count afterwards, no more and no less");
}

static DWORD suspends_the_caller(LPVOID letter)
{
    WaitForSingleObject(event_2, INFINITE);
    pass((char)(uintptr_t)letter);
    SuspendThread(lock_1); // suspends the caller of the broadcast
    return 0;
}

static void a_suspended_broadcaster_strands_nobody(void)
{
    start("detent");
    event_1 = CreateEvent(NULL, TRUE, FALSE, NULL);
    for (unsigned i = 0; i < 3; i++)
        spawn(waits_for_event_1, 'a' + i, 10 + (int)i);
    HANDLE setter = interrupted(sets_event_1, suspends_the_caller);
    check(order_was("iabc"), "who is suspended within a broadcast has answered all");
    check(ResumeThread(setter) == 1 && ((struct event *)object_find(event_1))->object.waiters.owed == 0,
          "and owes nothing");
}

// ---- turns and inheritance ----

static DWORD owns_and_sleeps(LPVOID letter)
{
    WaitForSingleObject(lock_1, INFINITE);
    Sleep(3);
    pass((char)(uintptr_t)letter);
    return 0;
}

static DWORD wants_for_3_ms(LPVOID letter)
{
    WaitForSingleObject(lock_1, 3);
    pass((char)(uintptr_t)letter);
    return 0;
}

static DWORD runs_four_ticks(LPVOID letter)
{
    tick(4);
    pass((char)(uintptr_t)letter);
    return 0;
}

// At the fourth tick, three things happen: the owner wakes, the waiter's timeout ends the inheritance, and the running thread's
// quantum ends.
static void the_end_of_a_turn_is_the_running_thread_s(void)
{
    start("detent");
    spawn(owns_and_sleeps, 'o', 100), spawn(wants_for_3_ms, 'w', 50);
    HANDLE runs = CreateThread(NULL, 0, runs_four_ticks, (LPVOID)'r', CREATE_SUSPENDED, NULL);
    CeSetThreadPriority(runs, 100), CeSetThreadQuantum(runs, 4);
    ResumeThread(runs);
    check(order_was("wor"), "whose turn has ended goes behind an equal that has just become ready");
}

static DWORD takes_a_quantum(LPVOID unused)
{
    (void)unused;
    CeSetThreadQuantum(GetCurrentThread(), 0);
    tick(1);
    CeSetThreadQuantum(GetCurrentThread(), 3);
    pass('a');
    tick(1);
    pass('a');
    tick(2);
    pass('a');
    return 0;
}

static DWORD passes_once(LPVOID letter)
{
    pass((char)(uintptr_t)letter);
    return 0;
}

static DWORD starts_two_equals(LPVOID unused)
{
    (void)unused;
    spawn(takes_a_quantum, 0, 100), spawn(passes_once, 'b', 100);
    return 0;
}

static void a_quantum_that_is_new_is_whole(void)
{
    start("detent");
    spawn(starts_two_equals, 0, 50);
    check(order_was("aaba"), "a thread that ran to completion and takes a quantum has all of it");
}

static DWORD waits_for_1_or_2(LPVOID unused)
{
    (void)unused;
    HANDLE list[2] = {event_2, lock_1};
    WaitForMultipleObjects(2, list, FALSE, INFINITE);
    return 0;
}

static void an_owner_follows_a_waiter_for_several(void)
{
    start("detent");
    HANDLE owner = spawn(owns_and_sleeps, 'o', 100), waiter = spawn(waits_for_1_or_2, 0, 50);
    check(current_priority(owner) == 50, "a wait for several lends its priority");
    CeSetThreadPriority(waiter, 40);
    check(current_priority(owner) == 40, "and a higher one later");
    CeSetThreadPriority(waiter, 60);
    check(current_priority(owner) == 60, "and a lower one");
    SetEvent(event_2);
    check(current_priority(owner) == 100, "until another object answers");
}

// ---- critical sections ----

static CRITICAL_SECTION section;

static DWORD enters_and_ends(LPVOID unused)
{
    (void)unused;
    EnterCriticalSection(&section);
    WaitForSingleObject(event_1, INFINITE);
    return 0;
}

static DWORD enters(LPVOID letter)
{
    SetLastError(ERROR_SUCCESS);
    EnterCriticalSection(&section);
    pass(GetLastError() == ERROR_ABANDONED_WAIT_0 ? 'A' : (char)(uintptr_t)letter);
    LeaveCriticalSection(&section);
    return 0;
}

static DWORD leaves_what_it_does_not_own(LPVOID unused)
{
    (void)unused;
    LeaveCriticalSection(&section);
    pass(GetLastError() == ERROR_NOT_OWNER ? 'n' : '?');
    return 0;
}

static void an_owner_that_ends_lends_nothing_and_strands_nobody(void)
{
    start("detent");
    InitializeCriticalSection(&section);
    HANDLE owner = spawn(enters_and_ends, 0, 200);
    spawn(enters, 'a', 10), spawn(enters, 'b', 20);
    check(current_priority(owner) == 10, "an owner inherits through a section");
    CloseHandle(owner);
    SetEvent(event_1);
    check(order_was("Ab"), "when it ends, the first who waits is told, the next one not");
    HANDLE next = spawn(waits_for_event_1, 'x', 200);
    check(HANDLE_INDEX(next, THREADS_MAX) == HANDLE_INDEX(owner, THREADS_MAX) && current_priority(next) == 200,
          "the next thread in its place has its own priority");
    InitializeCriticalSection(&section);
    spawn(enters_and_ends, 0, 200);
    SetEvent(event_1), SetEvent(event_1);
    spawn(enters, 'c', 10);
    check(order_was("AbxA"), "who enters what an ended thread owned is told");
}

static void misuse_of_a_section_is_an_error(void)
{
    start("detent");
    InitializeCriticalSection(&section);
    spawn(enters_and_ends, 0, 200), spawn(leaves_what_it_does_not_own, 0, 10);
    check(order_was("n"), "only the owner leaves");
    SetLastError(ERROR_SUCCESS);
    DeleteCriticalSection(&section);
    check(GetLastError() == ERROR_BUSY, "an owned section is not deleted");
    static CRITICAL_SECTION many[SECTIONS];
    for (unsigned i = 0; i < SECTIONS; i++)
        InitializeCriticalSection(&many[i]);
    DeleteCriticalSection(&many[0]), DeleteCriticalSection(&many[0]);
    check(true, "there are as many sections as a program likes, and deleting one twice is harmless");
}

// ---- interrupts ----

static void answers_and_chains_have_their_bounds(void)
{
    start("detent");
    HANDLE chain[CHAIN_HANDLERS_MAX];
    check(NKCallIntChain(200) == SYSINTR_CHAIN, "a line that there is not has no chain");
    for (unsigned i = 0; i < CHAIN_HANDLERS_MAX; i++)
        chain[i] = LoadIntChainHandler("chain", "pass_on", 9);
    check(LoadIntChainHandler("chain", "pass_on", 9) == NULL && GetLastError() == ERROR_NOT_ENOUGH_MEMORY,
          "a chain ends");
    for (unsigned i = 0; i + 1 < CHAIN_HANDLERS_MAX; i++)
        FreeIntChainHandler(chain[i]);
    HANDLE again = LoadIntChainHandler("chain", "answer_8", 9);
    check(again != NULL && NKCallIntChain(9) == SYSINTR_DEVICES, "what is freed can be loaded again");
    check(!FreeIntChainHandler(chain[0]) && NKCallIntChain(9) == SYSINTR_DEVICES, "an old handle frees nothing");
    FreeIntChainHandler(again), FreeIntChainHandler(chain[CHAIN_HANDLERS_MAX - 1]);
    InterruptInitialize(31, event_1, NULL, 0);
    port_interrupt(95);
    check(irq_unclaimed == 1 && WaitForSingleObject(event_1, 0) == WAIT_TIMEOUT, "95 is no SYSINTR, nor 31");
    SetEvent(event_2);
    WaitForSingleObject(event_2, 0);
    check(!InterruptInitialize(DEVICE, event_2, NULL, 0), "an event that a wait has found set was waited for");
}

void cases_of_misuse(void)
{
    a_thread_s_handles_are_not_its_life();
    the_current_thread_s_handle_is_nobody_s();
    small_numbers_are_no_handles();
    a_call_never_acts_on_another_object();
    opens_of_a_name_do_not_wrap();
    a_pulse_does_not_erase_a_later_set();
    counts_that_belong_to_waiters_are_not_in_the_way();
    a_suspended_broadcaster_strands_nobody();
    the_end_of_a_turn_is_the_running_thread_s();
    a_quantum_that_is_new_is_whole();
    an_owner_follows_a_waiter_for_several();
    an_owner_that_ends_lends_nothing_and_strands_nobody();
    misuse_of_a_section_is_an_error();
    answers_and_chains_have_their_bounds();
}
