// SPDX-License-Identifier: MIT OR Apache-2.0
// Figures of processes. Programs in user mode measure most of them (user/programs/). This file measures an interrupt while a
// process runs in user mode: from the instant at which the timer is due to the first instruction of the driver process.
#include "process/processes.h"
#include "process/registry.h"
#include "process/frames.h"
#include "goals.h"
#include "programs/figures.h"
#include "programs/processes/processes.h"
#include "programs/stimulus.h"

#define SYSINTR_FIGURE (SYSINTR_FIRMWARE + LINE_1)
#define SYSINTR_TEXT "31"
#define SETTLED_UNITS 5000 // half a tick
#define WOKEN_UNITS 120000 // long enough to include the next tick
#define WAIT_MS 100

static struct figure ist_settled = {.name = "interrupt-process-ist", .goal = GOAL(150, 195), .peer = PEER(252)};
static struct figure ist_woken = {.name = "interrupt-process-ist-woken", .goal = GOAL(170, 220), .peer = PEER(252)};

static struct figure page_taken = {.name = "page-taken-zero"};

static DWORD isr_wakes(void)
{
    return SYSINTR_FIGURE;
}

// Runs a program that prints figures. False if it could not run, or if a figure misses its goal.
static bool program_met(const char *program, const char *command)
{
    DWORD exit_code = 1;
    return process_finish(program, command, &exit_code) && exit_code == 0;
}

static bool measure(HANDLE ran, struct figure *figure, const char *spins, uint32_t units)
{
    struct process *spinning = process_create("spins", spins, PROGRAMS_PRIORITY, false);
    if (spinning == NULL)
        return false;
    Sleep(2); // the thread sets its priority
    bool came = true;
    for (unsigned i = 0; i < FIGURE_REPEATS && came; i++) {
        SleepTillTick();
        uint32_t due = stimulus_arm(units);
        came = WaitForSingleObject(ran, WAIT_MS) == WAIT_OBJECT_0;
        if (came)
            figure_add(figure, due, GetEventData(ran));
    }
    process_end(spinning, 0);
    process_close(spinning);
    return came;
}

static bool measure_interrupts(void)
{
    HANDLE ran = CreateEvent(NULL, FALSE, FALSE, "ist-ran");
    struct process *driver = process_begin("ist", SYSINTR_TEXT, 1ull << SYSINTR_FIGURE);
    if (driver == NULL || !stimulus_init())
        return false;
    HookInterrupt(LINE_1, isr_wakes);
    bool all = WaitForSingleObject(ran, WAIT_MS) == WAIT_OBJECT_0 && measure(ran, &ist_settled, "", SETTLED_UNITS)
               && measure(ran, &ist_woken, "woken", WOKEN_UNITS);
    HookInterrupt(LINE_1, NULL);
    process_end(driver, 0);
    process_close(driver);
    CloseHandle(ran);
    return all;
}

// Nearly all of the measured time goes into zeroing the page.
static bool measure_pages(void)
{
    for (unsigned i = 0; i < FIGURE_REPEATS; i++) {
        uint32_t from = stamp();
        uint64_t *frame = frame_take();
        uint32_t to = stamp();
        if (frame == NULL)
            return false;
        figure_add(&page_taken, from, to);
        frame_give(frame);
    }
    return figure_print(&page_taken);
}

int process_figures_run(int count, char **arguments)
{
    (void)count, (void)arguments;
    if (!processes_ready())
        return 1;
    CeSetThreadPriority(GetCurrentThread(), FIGURE_LOW);
    bool met = program_met("timing", "");
    met &= program_met("pong", "");
    met &= program_met("server", "figures");
    met &= measure_pages();
    met &= measure_interrupts();
    met &= figure_print(&ist_settled);
    met &= figure_print(&ist_woken);
    NKDbgPrintfW("figures: %s\n", met ? "all goals met" : "a goal is missed");
    return !met;
}

// The kernel's own figures after processes have run: none may need more instructions than before.
int kernel_figures_run(int count, char **arguments)
{
    DWORD exit_code;
    if (!processes_ready() || !process_finish("hello", "before the kernel's figures", &exit_code))
        return 1;
    return figures_run(count, arguments);
}
