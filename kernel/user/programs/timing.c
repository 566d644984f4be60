// SPDX-License-Identifier: MIT OR Apache-2.0
// What calls that stay in the process cost it. Its exit code says whether a goal was missed.
#include "user/figure.h"

#define MEASURE(figure, call) \
    for (unsigned i = 0; i < FIGURE_REPEATS; i++) { \
        uint32_t from = stamp(); \
        call; \
        uint32_t to = stamp(); \
        figure_add(&(figure), from, to); \
    }

DWORD program_main(LPCTSTR command)
{
    static struct figure null_call = {.name = "process-null-call", .goal = 40, .peer = 139};
    static struct figure set_free = {.name = "process-event-set-free"};
    static struct figure wait_satisfied = {.name = "process-wait-satisfied"};
    (void)command;
    HANDLE event = CreateEvent(NULL, TRUE, TRUE, NULL);
    CeSetThreadQuantum(GetCurrentThread(), 0);
    SleepTillTick();
    MEASURE(null_call, GetCurrentProcessId())
    MEASURE(set_free, SetEvent(event))
    MEASURE(wait_satisfied, WaitForSingleObject(event, INFINITE))
    bool met = figure_print(&null_call);
    met &= figure_print(&set_free);
    met &= figure_print(&wait_satisfied);
    return !met;
}
