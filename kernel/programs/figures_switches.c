// SPDX-License-Identifier: MIT OR Apache-2.0
// Figures of calls that switch threads: one call wakes a higher thread, another blocks it again.
#include "programs/figures.h"
#include "programs/figures_all.h"

static struct figure yield_switch = {.name = "yield-switch", .goal = GOAL(36, 45), .peer = PEER(39)};
static struct figure yield_alone = {.name = "yield-alone", .peer = PEER(28)};
static struct figure set_switch = {.name = "event-set-switch", .goal = GOAL(69, 85), .peer = PEER(113)};
static struct figure wait_switch = {.name = "wait-block-switch", .peer = PEER(129)};
static struct figure manual_switch = {.name = "manual-event-set-switch", .goal = GOAL(150, 195), .peer = PEER(157)};
static struct figure give_switch = {.name = "semaphore-give-switch", .goal = GOAL(90, 117), .peer = PEER(113)};
static struct figure take_switch = {.name = "semaphore-take-block-switch", .peer = PEER(129)};
static struct figure resume_switch = {.name = "resume-switch", .peer = PEER(97)};
static struct figure suspend_switch = {.name = "suspend-self-switch", .goal = GOAL(100, 130), .peer = PEER(107)};
static struct figure create_switch = {.name = "thread-create-switch", .peer = PEER(205)};
static struct figure create_raise_switch = {.name = "thread-create-raise-resume-switch"};
static struct figure end_switch = {.name = "thread-end-switch", .goal = GOAL(115, 149), .peer = PEER(120)};

static volatile uint32_t started, ended;
static volatile unsigned yielders;
static HANDLE object, partner;

// Two threads of one priority yield to each other. One thread takes a stamp and calls Sleep(0). Then the other thread
// returns from its own Sleep(0) and takes the next stamp.
static DWORD yielder_main(LPVOID unused)
{
    (void)unused;
    yielders++;
    Sleep(0);
    for (unsigned i = 0; i < FIGURE_REPEATS && yielders == 2; i++) {
        started = stamp();
        Sleep(0);
        ended = stamp();
        if (yielders == 2)
            figure_add(&yield_switch, started, ended);
    }
    yielders--;
    return 0;
}

static void measure_yield(void)
{
    SleepTillTick(); // all samples of a group fit between two ticks
    HANDLE a = figure_thread(yielder_main, FIGURE_LOW), b = figure_thread(yielder_main, FIGURE_LOW);
    figure_thread_join(a);
    figure_thread_join(b);
    for (unsigned i = 0; i < FIGURE_REPEATS; i++) {
        uint32_t from = stamp();
        Sleep(0);
        uint32_t to = stamp();
        figure_add(&yield_alone, from, to);
    }
}

// Measures a higher thread that one call blocks and another call wakes. `wakes` is the path to this thread, `blocks`
// the path back. The calls are in the functions themselves, so that the figures contain nothing else.
#define MEASURE_PAIR(name, block_call, wake_call, wakes, blocks) \
    static DWORD name##_main(LPVOID unused) \
    { \
        (void)unused; \
        for (unsigned i = 0; i < FIGURE_REPEATS; i++) { \
            started = stamp(); \
            block_call; \
            ended = stamp(); \
            ResetEvent(object); \
        } \
        return 0; \
    } \
    static void name(void) \
    { \
        SleepTillTick(); \
        partner = figure_thread(name##_main, FIGURE_HIGH); \
        for (unsigned i = 0; i < FIGURE_REPEATS; i++) { \
            uint32_t from = stamp(); \
            wake_call; \
            uint32_t to = stamp(); \
            figure_add(&(wakes), from, ended); \
            if (i + 1 < FIGURE_REPEATS) \
                figure_add(&(blocks), started, to); \
        } \
        figure_thread_join(partner); \
    }

static struct figure manual_wait; // takes the same path as wait_switch

MEASURE_PAIR(measure_event, WaitForSingleObject(object, INFINITE), SetEvent(object), set_switch, wait_switch)
MEASURE_PAIR(measure_manual, WaitForSingleObject(object, INFINITE), SetEvent(object), manual_switch, manual_wait)
MEASURE_PAIR(measure_semaphore, WaitForSingleObject(object, INFINITE), ReleaseSemaphore(object, 1, NULL), give_switch,
             take_switch)
MEASURE_PAIR(measure_suspend, SuspendThread(GetCurrentThread()), ResumeThread(partner), resume_switch, suspend_switch)

static void measure_object(HANDLE created, void (*measure)(void))
{
    object = created;
    measure();
    CloseHandle(object);
}

// A thread that ends at once; nobody waits for its end.
static DWORD ending_main(LPVOID unused)
{
    (void)unused;
    ended = started = stamp();
    return 0;
}

static void measure_thread(void)
{
    SleepTillTick();
    for (unsigned i = 0; i < FIGURE_REPEATS; i++) {
        uint32_t from = stamp();
        HANDLE thread = CreateThread(NULL, 0, ending_main, NULL, CREATE_SUSPENDED, NULL);
        CeSetThreadPriority(thread, FIGURE_HIGH);
        ResumeThread(thread);
        uint32_t to = stamp();
        figure_add(&create_raise_switch, from, ended);
        figure_add(&end_switch, started, to);
        CloseHandle(thread);
    }
}

// Creates each thread by a single call, like the figures of other systems. A new thread has priority NORMAL, and its
// creator is below that.
static void measure_create(void)
{
    SleepTillTick();
    SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_LOWEST);
    for (unsigned i = 0; i < FIGURE_REPEATS; i++) {
        uint32_t from = stamp();
        HANDLE thread = CreateThread(NULL, 0, ending_main, NULL, 0, NULL);
        figure_add(&create_switch, from, ended);
        CloseHandle(thread);
    }
    CeSetThreadPriority(GetCurrentThread(), FIGURE_LOW);
}

bool figures_of_switches(void)
{
    measure_yield();
    measure_object(CreateEvent(NULL, FALSE, FALSE, NULL), measure_event);
    measure_object(CreateEvent(NULL, TRUE, FALSE, NULL), measure_manual);
    measure_object(CreateSemaphore(NULL, 0, 1, NULL), measure_semaphore);
    measure_object(CreateEvent(NULL, FALSE, FALSE, NULL), measure_suspend);
    measure_thread();
    measure_create();
    struct figure *const all[] = {&yield_switch,   &yield_alone,   &set_switch,          &wait_switch,
                                  &manual_switch,  &give_switch,   &take_switch,         &resume_switch,
                                  &suspend_switch, &create_switch, &create_raise_switch, &end_switch};
    bool met = true;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        met &= figure_print(all[i]);
    return met;
}
