// SPDX-License-Identifier: MIT OR Apache-2.0
// Finds the longest time without preemption under any permitted use: sweeps the calls of a program while the kernel's tables are
// full.
#include "programs/extremes.h"

#include "port.h"
#include "programs/figures.h"
#include "programs/programs.h"
#include "programs/sweep_calls.h"

#define STEP 16
#define STEPS_MOST 3840 // steps in one call; a longer call is sampled in larger steps
#define HELD_GOAL GOAL(250, 300)

static HANDLE started[THREADS_MAX];
static unsigned started_count;

void extreme_threads(unsigned count, LPTHREAD_START_ROUTINE start, int priority)
{
    for (unsigned i = 0; i < count; i++) {
        HANDLE thread = CreateThread(NULL, 0, start, (LPVOID)(uintptr_t)i, CREATE_SUSPENDED, NULL);
        CeSetThreadPriority(thread, priority);
        CeSetThreadQuantum(thread, 0);
        ResumeThread(thread);
        started[started_count++] = thread;
    }
}

HANDLE extreme_thread(unsigned number)
{
    return started[number];
}

static void threads_end(void)
{
    while (started_count > 0) {
        TerminateThread(started[--started_count], 0);
        CloseHandle(started[started_count]);
    }
}

static uint32_t least; // delay of an interrupt's thread when no call is running

static uint32_t step_of(uint32_t instants)
{
    uint32_t step = (instants + STEPS_MOST - 1) / STEPS_MOST;
    return step > STEP ? step : STEP;
}

static bool extreme_sweep(const struct extreme *extreme, struct worst *held)
{
    struct sweep sweep;
    extreme->begin();
    sweep_begin(&sweep, extreme->call.name);
    sweep_call_in_steps(&sweep, &extreme->call, step_of(extreme->call.instants), 0);
    threads_end();
    if (extreme->end != NULL)
        extreme->end();
    uint64_t offset = 0;
    const char *owner = symbol_name(sweep.ist.where, &offset);
    sweep.ist.value -= least;
    NKDbgPrintfW("extreme %s length %u instants %u lost %u held %u owner %s+0x%lx\n", extreme->call.name, sweep.length,
                 sweep.runs, sweep.lost, sweep.ist.value, owner, offset);
    worst_update(held, &sweep.ist);
    return sweep.lost == 0;
}

static void least_find(void)
{
    struct sweep sweep;
    sweep_begin(&sweep, sweep_calls[0].name);
    sweep_call(&sweep, &sweep_calls[0], 0);
    least = sweep.ist_least;
}

int extremes_run(int count, char **arguments)
{
    (void)count, (void)arguments;
    static const struct extreme *const all[] = {extremes_of_crowds, extremes_of_locks, extremes_of_chains,
                                                extremes_of_interrupts};
    struct worst held = {.call = "-", .heavy = "-"};
    bool whole = true;
    unsigned tried = 0;
    CeSetThreadPriority(GetCurrentThread(), EXTREME_OWN);
    CeSetThreadQuantum(GetCurrentThread(), 0);
    if (!sweep_init())
        return 1;
    sweep_calls_init();
    least_find();
    for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++)
        for (const struct extreme *extreme = all[i]; extreme->call.name != NULL; extreme++, tried++)
            whole &= extreme_sweep(extreme, &held);
    sweep_end();
    bool met = worst_figure_print("held-longest-extreme", &held, HELD_GOAL, 0, tried);
    return !(met && whole);
}
