// SPDX-License-Identifier: MIT OR Apache-2.0
// Floating point: the cost of its first use in a turn, and of a switch away from a thread that has used it. A switch between
// threads that do not use it is the figure yield-switch.
#include "programs/figures.h"
#include "programs/figures_all.h"
#include "fpu_inline.h"

static struct figure fpu_taken = {.name = "fpu-first-use-of-another"};
static struct figure fpu_kept = {.name = "fpu-first-use-again"};
static struct figure fpu_next = {.name = "fpu-next-use"};
static struct figure yield_fpu = {.name = "yield-switch-after-fpu"};

static volatile uint32_t left;
static volatile bool uses, ended;

// A thread of the same priority, which runs between two yields of the measuring one.
static DWORD other_main(LPVOID unused)
{
    (void)unused;
    while (!ended) {
        uint32_t now = stamp();
        if (left != 0)
            figure_add(&yield_fpu, left, now);
        left = 0;
        if (uses)
            fpu_use();
        Sleep(0);
    }
    return 0;
}

static void measure_use(struct figure *figure, bool other_uses)
{
    uses = other_uses;
    for (unsigned i = 0; i <= FIGURE_REPEATS; i++) {
        left = i == 0 ? 0 : stamp();
        Sleep(0);
        uint32_t from = stamp();
        fpu_use();
        uint32_t used = stamp();
        fpu_use();
        uint32_t to = stamp();
        if (i > 0) // before the first sample, no thread had used it
            figure_add(figure, from, used);
        figure_add(&fpu_next, used, to);
    }
}

bool figures_of_fpu(void)
{
    left = 0;
    ended = false;
    SleepTillTick(); // all samples of a group fit between two ticks
    HANDLE other = figure_thread(other_main, FIGURE_LOW);
    measure_use(&fpu_kept, false);
    measure_use(&fpu_taken, true);
    ended = true;
    figure_thread_join(other);
    bool met = figure_print(&fpu_taken);
    met &= figure_print(&fpu_kept);
    met &= figure_print(&fpu_next);
    met &= figure_print(&yield_fpu);
    return met;
}
