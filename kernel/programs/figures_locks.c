// SPDX-License-Identifier: MIT OR Apache-2.0
// Figures of mutexes and critical sections: free, waited for, and handed over.
#include "programs/figures.h"
#include "programs/figures_all.h"

#define MIDDLE 15

static struct figure mutex_pair = {.name = "mutex-lock-unlock", .goal = GOAL(56, 72), .peer = PEER(121)};
static struct figure section_pair = {.name = "section-enter-leave"};
static struct figure mutex_pend = {.name = "mutex-pend", .peer = PEER(148)};
static struct figure mutex_pend_boost = {.name = "mutex-pend-boost", .goal = GOAL(190, 247), .peer = PEER(201)};
static struct figure unlock_hands_over = {.name = "unlock-hands-over", .goal = GOAL(200, 260), .peer = PEER(251)};

static volatile uint32_t started, ended;
static HANDLE event, held_event, mutex;

static void measure_free(void)
{
    CRITICAL_SECTION section;
    InitializeCriticalSection(&section);
    SleepTillTick(); // all samples of a group fit between two ticks
    for (unsigned i = 0; i < FIGURE_REPEATS; i++) {
        uint32_t from = stamp();
        WaitForSingleObject(mutex, INFINITE);
        ReleaseMutex(mutex);
        uint32_t to = stamp();
        figure_add(&mutex_pair, from, to);
        from = stamp();
        EnterCriticalSection(&section);
        LeaveCriticalSection(&section);
        to = stamp();
        figure_add(&section_pair, from, to);
    }
    DeleteCriticalSection(&section);
}

static DWORD pends_main(LPVOID unused)
{
    (void)unused;
    for (unsigned i = 0; i < FIGURE_REPEATS; i++) {
        WaitForSingleObject(event, INFINITE);
        started = stamp();
        WaitForSingleObject(mutex, INFINITE);
        ended = stamp();
        ReleaseMutex(mutex);
    }
    return 0;
}

// A higher thread waits for a lock that a lower thread owns. The owner is raised, continues, and hands the lock over.
static void measure_boost(void)
{
    HANDLE thread = figure_thread(pends_main, FIGURE_HIGH);
    SleepTillTick();
    for (unsigned i = 0; i < FIGURE_REPEATS; i++) {
        WaitForSingleObject(mutex, INFINITE);
        SetEvent(event);
        uint32_t to = stamp();
        figure_add(&mutex_pend_boost, started, to);
        uint32_t from = stamp();
        ReleaseMutex(mutex);
        figure_add(&unlock_hands_over, from, ended);
    }
    figure_thread_join(thread);
}

static DWORD holds_main(LPVOID unused)
{
    (void)unused;
    for (unsigned i = 0; i < FIGURE_REPEATS; i++) {
        WaitForSingleObject(mutex, INFINITE);
        WaitForSingleObject(held_event, INFINITE);
        ReleaseMutex(mutex);
        WaitForSingleObject(held_event, INFINITE);
    }
    return 0;
}

// The owner is higher than the waiting thread and waits itself, so nobody is raised.
static void measure_pend(void)
{
    HANDLE owner = figure_thread(holds_main, FIGURE_HIGH), waiter = figure_thread(pends_main, MIDDLE);
    SleepTillTick();
    for (unsigned i = 0; i < FIGURE_REPEATS; i++) {
        SetEvent(event);
        uint32_t to = stamp();
        figure_add(&mutex_pend, started, to);
        SetEvent(held_event); // the owner releases the lock
        SetEvent(held_event); // the owner takes the lock again
    }
    figure_thread_join(waiter);
    figure_thread_join(owner);
}

bool figures_of_locks(void)
{
    event = CreateEvent(NULL, FALSE, FALSE, NULL);
    held_event = CreateEvent(NULL, FALSE, FALSE, NULL);
    mutex = CreateMutex(NULL, FALSE, NULL);
    measure_free();
    measure_boost();
    measure_pend();
    CloseHandle(event);
    CloseHandle(held_event);
    CloseHandle(mutex);
    bool met = figure_print(&mutex_pair);
    met &= figure_print(&section_pair);
    met &= figure_print(&mutex_pend);
    met &= figure_print(&mutex_pend_boost);
    met &= figure_print(&unlock_hands_over);
    return met;
}
