// SPDX-License-Identifier: MIT OR Apache-2.0
// The figures of the kernel's paths. Each is taken FIGURE_REPEATS times; the printed one is the largest.
#include "programs/figures.h"

#include "programs/programs.h"

void figure_add(struct figure *figure, uint32_t from, uint32_t to)
{
    uint32_t value = to - from;
    if (figure->count == 0 || value < figure->least)
        figure->least = value;
    if (figure->count == 0 || value > figure->most) {
        figure->most = value;
        heavy_read(from, to, figure->heavy);
    }
    figure->count++;
}

bool figure_print(struct figure *figure)
{
    bool met = figure->count > 0 && (figure->goal == 0 || figure->most <= figure->goal);
    NKDbgPrintfW("figure %s %u goal %u peer %u min %u count %u heavy=%s\n", figure->name, figure->most, figure->goal,
                 figure->peer, figure->least, figure->count, figure->count > 0 ? figure->heavy : "-");
    *figure = (struct figure){.name = figure->name, .goal = figure->goal, .peer = figure->peer};
    return met;
}

HANDLE figure_thread(LPTHREAD_START_ROUTINE start, int priority)
{
    HANDLE thread = CreateThread(NULL, 0, start, NULL, CREATE_SUSPENDED, NULL);
    CeSetThreadPriority(thread, priority);
    CeSetThreadQuantum(thread, 0);
    ResumeThread(thread);
    return thread;
}

void figure_thread_join(HANDLE thread)
{
    WaitForSingleObject(thread, INFINITE);
    CloseHandle(thread);
}

int figures_run(int count, char **arguments)
{
    (void)count, (void)arguments;
    CeSetThreadPriority(GetCurrentThread(), FIGURE_LOW);
    CeSetThreadQuantum(GetCurrentThread(), 0);
    NKDbgPrintfW("figures in executed instructions, nothing subtracted, largest of count\n");
    bool met = figures_of_interrupts();
    met &= figures_of_switches();
    met &= figures_of_locks();
    met &= figures_of_calls();
    met &= figures_of_fpu();
    met &= figures_by_sweep();
    NKDbgPrintfW("figures: %s\n", met ? "all goals met" : "a goal is missed");
    return !met;
}
