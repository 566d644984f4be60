// SPDX-License-Identifier: MIT OR Apache-2.0
// Cases of the semantics, one sentence each, against the real core. The test itself is the idle thread:
// every thread that it resumes runs until it blocks.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"

static unsigned failures, checks;
static char order[64]; // letters in the order in which threads passed
static HANDLE lock_1, lock_2, event_1, event_2;

static void check(bool ok, const char *sentence)
{
    checks++;
    if (!ok) {
        failures++;
        printf("FAIL %s (order \"%s\")\n", sentence, order);
    }
}

static void pass(char letter)
{
    size_t length = strlen(order);
    order[length] = letter;
    order[length + 1] = '\0';
}

static bool order_was(const char *expected) { return strcmp(order, expected) == 0; }

static void start(const char *profile_name)
{
    profile_choose(profile_name);
    port_start(0);
    order[0] = '\0';
    event_1 = CreateEvent(NULL, FALSE, FALSE, NULL);
    event_2 = CreateEvent(NULL, FALSE, FALSE, NULL);
    lock_1 = CreateMutex(NULL, FALSE, NULL);
    lock_2 = CreateMutex(NULL, FALSE, NULL);
}

static HANDLE spawn(LPTHREAD_START_ROUTINE main, uintptr_t argument, int priority)
{
    HANDLE thread = CreateThread(NULL, 0, main, (LPVOID)argument, CREATE_SUSPENDED, NULL);
    CeSetThreadPriority(thread, priority);
    ResumeThread(thread);
    return thread;
}

static uint32_t current_priority(HANDLE thread) { return thread_find(thread)->link.priority; }

static void tick(unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        port_interrupt(timeout_tick(profile.tick_ms));
}

// ---- threads that the cases use ----

static DWORD takes_1_then_waits(LPVOID letter)
{
    WaitForSingleObject(lock_1, INFINITE);
    WaitForSingleObject(event_1, INFINITE);
    ReleaseMutex(lock_1);
    pass((char)(uintptr_t)letter);
    return 0;
}

static DWORD takes_2_then_1(LPVOID letter)
{
    WaitForSingleObject(lock_2, INFINITE);
    WaitForSingleObject(event_2, INFINITE);
    WaitForSingleObject(lock_1, INFINITE);
    pass((char)(uintptr_t)letter);
    ReleaseMutex(lock_1);
    ReleaseMutex(lock_2);
    return 0;
}

static DWORD wants_2(LPVOID letter)
{
    WaitForSingleObject(lock_2, INFINITE);
    pass((char)(uintptr_t)letter);
    ReleaseMutex(lock_2);
    return 0;
}

static DWORD wants_1_for_5_ms(LPVOID letter)
{
    if (WaitForSingleObject(lock_1, 5) == WAIT_TIMEOUT)
        pass((char)(uintptr_t)letter);
    return 0;
}

static DWORD waits_for_event_1(LPVOID letter)
{
    if (WaitForSingleObject(event_1, INFINITE) == WAIT_OBJECT_0)
        pass((char)(uintptr_t)letter);
    return 0;
}

static DWORD sets_event_1(LPVOID pulse)
{
    pulse != NULL ? PulseEvent(event_1) : SetEvent(event_1);
    return 0;
}

static DWORD ends_owning_1(LPVOID unused)
{
    (void)unused;
    return WaitForSingleObject(lock_1, INFINITE);
}

// ---- priority inheritance ----

// The paper's first case: B blocks on C after it was boosted, so C inherits what B has then.
static void an_owner_that_blocks_after_its_boost_passes_it_on(void)
{
    start("detent");
    HANDLE c = spawn(takes_1_then_waits, 'c', 30), b = spawn(takes_2_then_1, 'b', 20), a = spawn(wants_2, 'a', 10);
    check(current_priority(b) == 10, "the owner inherits from a higher waiter");
    SetEvent(event_2);
    check(current_priority(c) == 10, "an owner that blocks after its boost passes it on");
    SetEvent(event_1);
    check(order_was("bac") || order_was("cba") || order_was("bca"), "all of the chain pass");
    check(GetExitCodeThread(a, &(DWORD){0}) && order[0] == 'b', "the highest get through first");
}

// The second: B is blocked already when A arrives.
static void one_level_stops_at_the_first_owner(void)
{
    start("detent");
    HANDLE c = spawn(takes_1_then_waits, 'c', 30), b = spawn(takes_2_then_1, 'b', 20);
    SetEvent(event_2);
    spawn(wants_2, 'a', 10);
    check(current_priority(b) == 10 && current_priority(c) == 20, "one level stops at the first owner");
    start("ce2.12");
    profile.priority_levels = PRIORITY_LEVELS;
    c = spawn(takes_1_then_waits, 'c', 30), b = spawn(takes_2_then_1, 'b', 20);
    SetEvent(event_2);
    spawn(wants_2, 'a', 10);
    check(current_priority(b) == 10 && current_priority(c) == 10, "the whole chain reaches the last owner");
}

static void a_timeout_takes_the_boost_back(void)
{
    start("detent");
    HANDLE c = spawn(takes_1_then_waits, 'c', 30);
    spawn(wants_1_for_5_ms, 'a', 10);
    check(current_priority(c) == 10, "a wait with timeout lends its priority");
    tick(5);
    check(current_priority(c) == 10 && order_was(""), "nobody wakes early");
    tick(1);
    check(current_priority(c) == 30 && order_was("a"), "a timeout takes the boost back");
}

static DWORD takes_both_releases_first(LPVOID unused)
{
    (void)unused;
    WaitForSingleObject(lock_1, INFINITE);
    WaitForSingleObject(lock_2, INFINITE);
    WaitForSingleObject(event_1, INFINITE);
    ReleaseMutex(lock_1);
    pass('r');
    WaitForSingleObject(event_1, INFINITE);
    ReleaseMutex(lock_2);
    return 0;
}

static DWORD wants_1(LPVOID letter)
{
    WaitForSingleObject(lock_1, INFINITE);
    pass((char)(uintptr_t)letter);
    ReleaseMutex(lock_1);
    return 0;
}

static void releasing_one_of_two_keeps_the_other_s_boost(void)
{
    start("detent");
    HANDLE c = spawn(takes_both_releases_first, 0, 30);
    spawn(wants_1, 'a', 5), spawn(wants_2, 'b', 10);
    check(current_priority(c) == 5, "the highest of several boosts counts");
    SetEvent(event_1);
    check(current_priority(c) == 10 && order_was("ar"), "releasing one of two mutexes keeps the other's boost");
    SetEvent(event_1);
    check(current_priority(c) == 30 && order_was("arb"), "releasing both ends it");
}

static void semaphores_lend_nothing(void)
{
    start("detent");
    lock_1 = CreateSemaphore(NULL, 1, 1, NULL);
    HANDLE c = spawn(takes_1_then_waits, 'c', 30);
    spawn(wants_1, 'a', 10);
    check(current_priority(c) == 30, "semaphores lend nothing");
}

static void an_ended_owner_abandons(void)
{
    start("detent");
    HANDLE owner = spawn(ends_owning_1, 0, 30), next = spawn(ends_owning_1, 0, 30);
    DWORD first = 99, second = 99;
    GetExitCodeThread(owner, &first), GetExitCodeThread(next, &second);
    check(first == WAIT_OBJECT_0 && second == WAIT_ABANDONED_0, "an owner that ends abandons its mutex");
}

// ---- quantum ----

static DWORD spins_until_told(LPVOID letter)
{
    for (unsigned i = 0; i < 3; i++) {
        pass((char)(uintptr_t)letter);
        tick(1);
    }
    return 0;
}

static DWORD starts_two_spinners(LPVOID quantum_ms)
{
    HANDLE a = CreateThread(NULL, 0, spins_until_told, (LPVOID)'a', CREATE_SUSPENDED, NULL);
    HANDLE b = CreateThread(NULL, 0, spins_until_told, (LPVOID)'b', CREATE_SUSPENDED, NULL);
    CeSetThreadQuantum(a, (DWORD)(uintptr_t)quantum_ms);
    CeSetThreadQuantum(b, (DWORD)(uintptr_t)quantum_ms);
    CeSetThreadPriority(a, 100), CeSetThreadPriority(b, 100);
    ResumeThread(a), ResumeThread(b);
    return 0;
}

static void a_quantum_ends_a_turn(void)
{
    start("detent");
    spawn(starts_two_spinners, 1, 50);
    check(order_was("ababab"), "threads of one priority take turns of one quantum");
    start("detent");
    spawn(starts_two_spinners, 0, 50);
    check(order_was("aaabbb"), "a quantum of 0 runs to completion");
    start("detent");
    spawn(starts_two_spinners, 2, 50);
    check(order_was("aabbab"), "a turn is as long as its quantum");
}

static DWORD is_preempted(LPVOID letter)
{
    pass((char)(uintptr_t)letter);
    tick(1);
    SetEvent(event_1); // a higher thread runs
    pass((char)(uintptr_t)letter);
    tick(1);
    pass((char)(uintptr_t)letter);
    return 0;
}

static DWORD starts_preempted_and_equal(LPVOID unused)
{
    (void)unused;
    HANDLE a = CreateThread(NULL, 0, is_preempted, (LPVOID)'a', CREATE_SUSPENDED, NULL);
    HANDLE b = CreateThread(NULL, 0, spins_until_told, (LPVOID)'b', CREATE_SUSPENDED, NULL);
    CeSetThreadQuantum(a, 2), CeSetThreadQuantum(b, 2);
    CeSetThreadPriority(a, 100), CeSetThreadPriority(b, 100);
    ResumeThread(a), ResumeThread(b);
    return 0;
}

static void a_preempted_thread_keeps_its_place_and_remainder(void)
{
    start("detent");
    spawn(waits_for_event_1, 'h', 10);
    spawn(starts_preempted_and_equal, 0, 50);
    check(order_was("ahabbab"), "a preempted thread keeps its place and its remainder");
}

// ---- interrupts ----

#define DEVICE (SYSINTR_FIRMWARE + 7)

static void an_interrupt_s_event_has_its_rules(void)
{
    start("detent");
    HANDLE manual = CreateEvent(NULL, TRUE, FALSE, NULL), list[2] = {event_2, event_1};
    spawn(waits_for_event_1, 'x', 10);
    check(!InterruptInitialize(DEVICE, event_1, NULL, 0), "an event that was waited for is refused");
    check(!InterruptInitialize(DEVICE, manual, NULL, 0), "a manual-reset event is refused");
    check(InterruptInitialize(DEVICE, event_2, NULL, 0), "a fresh auto-reset event is taken");
    check(!InterruptInitialize(DEVICE + 1, event_2, NULL, 0), "but for one interrupt only");
    check(WaitForMultipleObjects(2, list, FALSE, 0) == WAIT_FAILED && GetLastError() == ERROR_INVALID_PARAMETER,
          "WaitForMultipleObjects refuses an interrupt's event");
    profile.wait_multiple_interrupt = true;
    check(WaitForMultipleObjects(2, list, FALSE, 0) == WAIT_TIMEOUT, "which CE 3.0 allowed");
    check(!CloseHandle(event_2) && GetLastError() == ERROR_BUSY, "it cannot be closed while in use");
}

static void an_interrupt_in_service_is_held(void)
{
    start("detent");
    InterruptInitialize(DEVICE, event_1, NULL, 0);
    spawn(waits_for_event_1, 'i', 10);
    port_interrupt(DEVICE);
    check(order_was("i"), "an interrupt runs its thread at once");
    for (unsigned i = 0; i < 3; i++)
        port_interrupt(DEVICE);
    check(WaitForSingleObject(event_1, 0) == WAIT_TIMEOUT, "nothing is signalled before InterruptDone");
    check(irqs[DEVICE].coalesced == 2, "one more is held and the rest are counted");
    InterruptDone(DEVICE);
    check(WaitForSingleObject(event_1, 0) == WAIT_OBJECT_0, "InterruptDone delivers what was held");
    InterruptDone(DEVICE);
    check(irqs[DEVICE].state == 0, "and the next one ends the service");
    port_interrupt(DEVICE + 1);
    check(irq_unclaimed == 1, "an interrupt without event is counted");
}

static void done_at_tick_masks_the_line(void)
{
    start("ce2.12");
    InterruptInitialize(DEVICE, event_1, NULL, 0);
    spawn(waits_for_event_1, 'i', 250);
    port_interrupt(DEVICE);
    check(order_was("i") && port_masked_lines == 1u << 7, "the line is masked while in service");
    InterruptDone(DEVICE);
    check(port_masked_lines == 1u << 7, "and after InterruptDone");
    tick(1);
    check(port_masked_lines == 0, "until the next tick");
}

static DWORD chain_answer;

static DWORD chain_run(void) { return port_isrs[9](); }

static void chains_are_walked_in_order(void)
{
    start("detent");
    HANDLE first = LoadIntChainHandler("chain", "pass_on", 9), second = LoadIntChainHandler("chain", "answer_8", 9);
    check(first != NULL && second != NULL && chain_run() == SYSINTR_DEVICES, "CHAIN goes on to the next routine");
    check(FreeIntChainHandler(second) && !FreeIntChainHandler(second), "a routine is freed once");
    check(chain_run() == SYSINTR_NOP && chain_unhandled == 1, "an interrupt of nobody is a NOP, and counted");
    port_active_reads = 2;
    chain_run();
    check(port_active_reads == 0, "a line that is still active starts the walk again");
    port_active_reads = 100;
    chain_run();
    check(port_active_reads == 100 - CHAIN_RESTARTS_MAX, "but not for ever");
    port_active_reads = 0;
    check(LoadIntChainHandler("chain", "missing", 9) == NULL && GetLastError() == ERROR_FILE_NOT_FOUND,
          "an unknown routine is refused");
    FreeIntChainHandler(first);
    (void)chain_answer;
}

// ---- objects and errors ----

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
          "a long name is refused");
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
    check(!ReleaseSemaphore(semaphore, 0, NULL) && GetLastError() == ERROR_INVALID_PARAMETER, "a release of 0 is refused");
    check(CreateSemaphore(NULL, 3, 2, NULL) == NULL && CreateSemaphore(NULL, 0, 0, NULL) == NULL &&
              CreateSemaphore(NULL, -1, 2, NULL) == NULL,
          "a semaphore's counts must make sense");
    check(!ReleaseMutex(lock_1) && GetLastError() == ERROR_NOT_OWNER, "only the owner releases a mutex");
    check(CreateThread(NULL, 0, NULL, NULL, 0, NULL) == NULL && GetLastError() == ERROR_INVALID_PARAMETER,
          "a thread needs a start");
    check(!CeSetThreadPriority(GetCurrentThread(), 256), "there is no priority 256");
    HANDLE list[1] = {event_1};
    check(WaitForMultipleObjects(1, list, TRUE, 0) == WAIT_FAILED, "waiting for all does not exist");
    check(WaitForMultipleObjects(0, list, FALSE, 0) == WAIT_FAILED && WaitForMultipleObjects(65, list, FALSE, 0) == WAIT_FAILED,
          "1 to 64 objects");
    check(CeGetThreadQuantum(event_1) == MAXDWORD && SuspendThread(event_1) == MAXDWORD, "an event is no thread");
}

static void old_levels_are_the_last_eight(void)
{
    start("detent");
    HANDLE thread = spawn(waits_for_event_1, 'x', 10);
    check(SetThreadPriority(thread, THREAD_PRIORITY_NORMAL) && CeGetThreadPriority(thread) == 251, "NORMAL is 251");
    check(SetThreadPriority(thread, THREAD_PRIORITY_IDLE) && CeGetThreadPriority(thread) == 255, "IDLE is 255");
    check(!SetThreadPriority(thread, 8), "there are eight old levels");
    start("ce2.12");
    thread = spawn(waits_for_event_1, 'x', 10);
    check(CeGetThreadPriority(thread) == 248, "with eight levels all higher ones are the highest");
}

static DWORD sleeps_one(LPVOID letter)
{
    Sleep(1);
    pass((char)(uintptr_t)letter);
    return 0;
}

static void sleeping_ends_on_ticks(void)
{
    start("detent");
    spawn(sleeps_one, 's', 10);
    tick(1);
    check(order_was(""), "Sleep(1) does not end on the first tick");
    tick(1);
    check(order_was("s"), "but on the second");
    start("detent");
    profile.tick_ms = 25;
    spawn(sleeps_one, 's', 10);
    tick(1);
    check(order_was("s") && GetTickCount() == 25, "with a tick of 25 ms, Sleep(1) is Sleep(25)");
}

static DWORD sleeps_long(LPVOID time_ms)
{
    Sleep((DWORD)(uintptr_t)time_ms);
    pass('l');
    return 0;
}

static void the_longest_sleep_does_not_end_early(void)
{
    start("detent");
    spawn(sleeps_long, 0xFFFFFFFE, 10);
    for (uint64_t gone_ms = 0; gone_ms < 0xFFFFFFFEull; gone_ms += 1000000)
        port_interrupt(timeout_tick(1000000));
    check(order_was("l") && kernel.now_ms >= 0xFFFFFFFFull, "49 days of sleep end after the tick count has wrapped");
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

static unsigned opens;

static DWORD waits_twice(LPVOID letter)
{
    WaitForSingleObject(event_2, INFINITE); // the interrupt's
    pass((char)(uintptr_t)letter);
    ResetEvent(event_1);
    if (WaitForSingleObject(event_1, 3) == WAIT_TIMEOUT)
        pass('t');
    return 0;
}

static void interrupts_at_the_second_open(void)
{
    if (kernel_gate == GATE_OPEN + 1 && ++opens == 2)
        port_interrupt(DEVICE);
}

// An interrupt's thread comes between two releases, resets the event and waits for it again.
static void a_broadcast_releases_those_who_waited_and_no_others(void)
{
    start("detent");
    event_1 = CreateEvent(NULL, TRUE, FALSE, NULL);
    InterruptInitialize(DEVICE, event_2, NULL, 0);
    spawn(waits_twice, 'i', 1);
    for (unsigned i = 0; i < 4; i++)
        spawn(waits_for_event_1, 'a' + i, 10 + (int)i);
    opens = 0;
    HANDLE setter = CreateThread(NULL, 0, sets_event_1, NULL, CREATE_SUSPENDED, NULL);
    port_before_open = interrupts_at_the_second_open;
    ResumeThread(setter);
    port_before_open = NULL;
    check(order_was("iabcd"), "a broadcast is interrupted, and still releases all who waited, in their order");
    tick(4);
    check(order_was("iabcdt"), "and not the one who came in between");
}

static void interlocked_operations_return_what_they_must(void)
{
    LONG value = 5;
    check(InterlockedIncrement(&value) == 6 && InterlockedDecrement(&value) == 5, "increment and decrement: the new value");
    check(InterlockedExchange(&value, 9) == 5 && value == 9, "exchange: the old value");
    check(InterlockedTestExchange(&value, 9, 1) == 9 && value == 1, "test and exchange: changed when equal");
    check(InterlockedTestExchange(&value, 9, 2) == 1 && value == 1, "and else not");
    check(InterlockedExchangeAdd(&value, 4) == 1 && value == 5, "add: the old value");
}

int main(void)
{
    an_owner_that_blocks_after_its_boost_passes_it_on();
    one_level_stops_at_the_first_owner();
    a_timeout_takes_the_boost_back();
    releasing_one_of_two_keeps_the_other_s_boost();
    semaphores_lend_nothing();
    an_ended_owner_abandons();
    a_quantum_ends_a_turn();
    a_preempted_thread_keeps_its_place_and_remainder();
    an_interrupt_s_event_has_its_rules();
    an_interrupt_in_service_is_held();
    done_at_tick_masks_the_line();
    chains_are_walked_in_order();
    names_find_objects();
    tables_end_and_handles_do_not_come_back();
    wrong_arguments_have_their_errors();
    old_levels_are_the_last_eight();
    sleeping_ends_on_ticks();
    the_longest_sleep_does_not_end_early();
    pulses_keep_nothing();
    a_broadcast_releases_those_who_waited_and_no_others();
    interlocked_operations_return_what_they_must();
    printf("cases: %u checks, %u failed\n", checks, failures);
    return failures != 0;
}
