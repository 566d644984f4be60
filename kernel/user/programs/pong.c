// SPDX-License-Identifier: MIT OR Apache-2.0
// Two processes that signal each other by semaphores. Without an argument, it is the measuring process: it starts the other,
// which has a higher priority and answers. Its exit code says whether the figure missed its goal.
#include "goals.h"
#include "user/figure.h"

#define PRIORITY_LOW 20
#define PRIORITY_HIGH 10

static _Noreturn void answer(HANDLE give, HANDLE take)
{
    CeSetThreadPriority(GetCurrentThread(), PRIORITY_HIGH);
    for (;;) {
        WaitForSingleObject(give, INFINITE);
        ReleaseSemaphore(take, 1, NULL);
    }
}

DWORD program_main(LPCTSTR command)
{
    static struct figure round = {.name = "process-semaphore-round", .goal = GOAL(440, 570), .peer = PEER(1090)};
    HANDLE give = CreateSemaphore(NULL, 0, 1, "pong-give"), take = CreateSemaphore(NULL, 0, 1, "pong-take");
    PROCESS_INFORMATION other;
    if (command[0] != '\0')
        answer(give, take);
    CeSetThreadPriority(GetCurrentThread(), PRIORITY_LOW);
    CeSetThreadQuantum(GetCurrentThread(), 0);
    if (!CreateProcess("pong", "answer", NULL, NULL, FALSE, 0, NULL, NULL, NULL, &other))
        return 1;
    Sleep(2); // the other thread, ordinary at first, runs, raises its priority and waits
    for (unsigned i = 0; i < FIGURE_REPEATS; i++) {
        uint32_t from = stamp();
        ReleaseSemaphore(give, 1, NULL);
        WaitForSingleObject(take, INFINITE);
        uint32_t to = stamp();
        figure_add(&round, from, to);
    }
    return !TerminateProcess(other.hProcess, 0) || !figure_print(&round);
}
