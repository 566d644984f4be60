// SPDX-License-Identifier: MIT OR Apache-2.0
// Figures of calls that do not switch threads.
#include "programs/figures.h"
#include "programs/figures_all.h"

static struct figure set_free = {.name = "event-set-free", .goal = GOAL(18, 23), .peer = PEER(26)};
static struct figure wait_satisfied = {.name = "wait-satisfied", .goal = GOAL(19, 24), .peer = PEER(28)};
static struct figure semaphore_pair = {.name = "semaphore-give-take", .goal = GOAL(50, 65), .peer = PEER(56)};

#define MEASURE(figure, call) \
    do { \
        uint32_t from = stamp(); \
        call; \
        uint32_t to = stamp(); \
        figure_add(&(figure), from, to); \
    } while (0)

bool figures_of_calls(void)
{
    HANDLE event = CreateEvent(NULL, FALSE, FALSE, NULL), semaphore = CreateSemaphore(NULL, 0, 10, NULL);
    SleepTillTick(); // all samples of a group fit between two ticks
    for (unsigned i = 0; i < FIGURE_REPEATS; i++) {
        MEASURE(set_free, SetEvent(event));
        MEASURE(wait_satisfied, WaitForSingleObject(event, INFINITE));
        MEASURE(semaphore_pair, ReleaseSemaphore(semaphore, 1, NULL); WaitForSingleObject(semaphore, INFINITE));
    }
    CloseHandle(event);
    CloseHandle(semaphore);
    bool met = figure_print(&set_free);
    met &= figure_print(&wait_satisfied);
    met &= figure_print(&semaphore_pair);
    return met;
}
