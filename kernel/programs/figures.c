// SPDX-License-Identifier: MIT OR Apache-2.0
// See figures.h. The printed figure is the largest of all samples.
#include "programs/figures.h"

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
