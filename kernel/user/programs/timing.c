// SPDX-License-Identifier: MIT OR Apache-2.0
// Measures calls that do not leave the process. Its exit code says whether a figure missed its goal.
#include "goals.h"
#include "user/figure.h"

#define MEASURE(figure, call) \
    for (unsigned i = 0; i < FIGURE_REPEATS; i++) { \
        uint32_t from = stamp(); \
        call; \
        uint32_t to = stamp(); \
        figure_add(&(figure), from, to); \
    }

#define PAGE 0x1000
#define PAGES 12

// Touches pages of the stack that were not touched before, each one below the previous.
static void touch_stack(struct figure *figure)
{
    volatile char room[PAGES * PAGE];
    for (unsigned page = PAGES; page-- > 0;) {
        uint32_t from = stamp();
        room[page * PAGE] = 1;
        uint32_t to = stamp();
        figure_add(figure, from, to);
    }
    (void)room[0];
}

static void commit_pages(struct figure *figure)
{
    char *at = VirtualAlloc(NULL, FIGURE_REPEATS * PAGE, MEM_RESERVE, PAGE_READWRITE);
    VirtualAlloc(at, PAGE, MEM_COMMIT, PAGE_READWRITE); // also allocates the page table that all of these share
    for (unsigned i = 1; i < FIGURE_REPEATS; i++) {
        uint32_t from = stamp();
        VirtualAlloc(at + i * PAGE, PAGE, MEM_COMMIT, PAGE_READWRITE);
        uint32_t to = stamp();
        figure_add(figure, from, to);
    }
    VirtualFree(at, 0, MEM_RELEASE);
}

DWORD program_main(LPCTSTR command)
{
    static struct figure null_call = {.name = "process-null-call", .goal = GOAL(40, 50), .peer = PEER(139)};
    static struct figure set_free = {.name = "process-event-set-free"};
    static struct figure wait_satisfied = {.name = "process-wait-satisfied"};
    static struct figure section = {.name = "process-section", .goal = GOAL(32, 40)};
    static struct figure stack_touch = {.name = "process-stack-first-touch"};
    static struct figure page_commit = {.name = "process-page-commit"};
    static CRITICAL_SECTION free;
    (void)command;
    HANDLE event = CreateEvent(NULL, TRUE, TRUE, NULL);
    CeSetThreadQuantum(GetCurrentThread(), 0);
    SleepTillTick();
    MEASURE(null_call, GetCurrentProcessId())
    MEASURE(set_free, SetEvent(event))
    MEASURE(wait_satisfied, WaitForSingleObject(event, INFINITE))
    EnterCriticalSection(&free); // the thread fetches its id once
    LeaveCriticalSection(&free);
    MEASURE(section, (EnterCriticalSection(&free), LeaveCriticalSection(&free)))
    SleepTillTick();
    touch_stack(&stack_touch);
    SleepTillTick();
    commit_pages(&page_commit);
    bool met = figure_print(&null_call);
    met &= figure_print(&stack_touch);
    met &= figure_print(&page_commit);
    met &= figure_print(&set_free);
    met &= figure_print(&wait_satisfied);
    met &= figure_print(&section);
    return !met;
}
