// SPDX-License-Identifier: MIT OR Apache-2.0
// Cases of priority inheritance, turns, priority levels and sleep.
#include "core/catch_up.h"
#include "core/timeouts.h"
#include "test/cases.h"

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

static DWORD ends_owning_1(LPVOID unused)
{
    (void)unused;
    return WaitForSingleObject(lock_1, INFINITE);
}

// ---- priority inheritance ----

// The paper's first case: B blocks on C after B was boosted, so C inherits B's boosted priority.
static void an_owner_that_blocks_after_its_boost_passes_it_on(void)
{
    start("detent");
    HANDLE c = spawn(takes_1_then_waits, 'c', 30), b = spawn(takes_2_then_1, 'b', 20);
    spawn(wants_2, 'a', 10);
    check(current_priority(b) == 10, "the owner inherits from a higher waiter");
    SetEvent(event_2);
    check(current_priority(c) == 10, "an owner that blocks after its boost passes it on");
    SetEvent(event_1);
    check(order_was("bac"), "then B passes, then A that waited for it, then C");
}

// The paper's second case: B is already blocked when A arrives.
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

static DWORD starts_two_of_an_old_level(LPVOID old_level)
{
    HANDLE a = CreateThread(NULL, 0, spins_until_told, (LPVOID)'a', CREATE_SUSPENDED, NULL);
    HANDLE b = CreateThread(NULL, 0, spins_until_told, (LPVOID)'b', CREATE_SUSPENDED, NULL);
    SetThreadPriority(a, (int)(uintptr_t)old_level), SetThreadPriority(b, (int)(uintptr_t)old_level);
    ResumeThread(a), ResumeThread(b);
    return 0;
}

// KB 248685: a TIME_CRITICAL thread "can only be preempted by an Interrupt Service Routine".
static void a_time_critical_thread_of_ce_2_12_runs_to_completion(void)
{
    start("ce2.12");
    spawn(starts_two_of_an_old_level, THREAD_PRIORITY_TIME_CRITICAL, 248);
    check(order_was("aaabbb"), "a TIME_CRITICAL thread of CE 2.12 runs to completion");
    start("ce2.12");
    profile.time_critical_completes = false;
    spawn(starts_two_of_an_old_level, THREAD_PRIORITY_TIME_CRITICAL, 248);
    check(order_was("ababab"), "and without the defect takes turns with its equals");
    start("ce2.12");
    spawn(starts_two_of_an_old_level, THREAD_PRIORITY_HIGHEST, 248);
    check(order_was("ababab"), "as lower threads do");
}

static DWORD is_preempted(LPVOID letter)
{
    pass((char)(uintptr_t)letter);
    tick(1);
    SetEvent(event_1); // a higher thread runs now
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

static void oem_tick(void)
{
    port_interrupt(oem_timer_tick(timeout_tick(1)));
}

static DWORD looks_at_the_old_interface(LPVOID unused)
{
    (void)unused;
    CeSetThreadQuantum(GetCurrentThread(), 4); // the current turn still has the quantum 100
    Sleep(0);
    oem_tick();
    check(CurMSec == 1 && DiffMSec == 1 && dwPreempt == 4 && dwSleepMin == 6 && ticksleft == 0,
          "dwPreempt and dwSleepMin count from the scheduler's last look");
    oem_tick(), oem_tick();
    check(DiffMSec == 3 && dwPreempt == 4, "and stay while DiffMSec grows");
    oem_tick();
    check(DiffMSec == 4 && dwPreempt == 4, "until one of them is reached");
    oem_tick();
    check(DiffMSec == 1 && dwPreempt == 4 && dwSleepMin == 2, "after which the scheduler has looked");
    gate_close();
    oem_tick();
    check(ticksleft == 0 && DiffMSec == 2 && dwSleepMin == 2, "a timeout is due within a call");
    oem_tick();
    check(ticksleft == 1, "and a tick that is not processed is left");
    if (gate_open_found_pending())
        kernel_catch_up();
    oem_tick();
    check(ticksleft == 0, "until the call has ended");
    return 0;
}

static DWORD sleeps_five(LPVOID letter)
{
    Sleep(5);
    pass((char)(uintptr_t)letter);
    return 0;
}

static void the_old_timer_interface_says_when_the_scheduler_is_needed(void)
{
    start("ce3.0");
    spawn(sleeps_five, 's', 10);
    spawn(looks_at_the_old_interface, 0, 50);
    check(order_was("s"), "and by its rule sleepers wake");
}

static void the_new_timer_interface_wraps(void)
{
    start("ce.net");
    port_start(0xFFFFFFFFull - 2);
    spawn(sleeps_five, 's', 10);
    oem_tick();
    check(CurMSec == 0xFFFFFFFEu && dwReschedTime == 3, "dwReschedTime is beyond the wrap");
    for (unsigned i = 0; i < 4; i++)
        oem_tick();
    check(CurMSec == 2 && order_was(""), "and nothing is due before it");
    oem_tick();
    check(CurMSec == 3 && order_was("s"), "but at it");
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

void cases_of_threads(void)
{
    an_owner_that_blocks_after_its_boost_passes_it_on();
    one_level_stops_at_the_first_owner();
    a_timeout_takes_the_boost_back();
    releasing_one_of_two_keeps_the_other_s_boost();
    semaphores_lend_nothing();
    an_ended_owner_abandons();
    a_quantum_ends_a_turn();
    a_time_critical_thread_of_ce_2_12_runs_to_completion();
    a_preempted_thread_keeps_its_place_and_remainder();
    old_levels_are_the_last_eight();
    sleeping_ends_on_ticks();
    the_old_timer_interface_says_when_the_scheduler_is_needed();
    the_new_timer_interface_wraps();
    the_longest_sleep_does_not_end_early();
}
