// SPDX-License-Identifier: MIT OR Apache-2.0
// Measures the figures of the kernel's paths. Each is measured FIGURE_REPEATS times; the largest is printed.
#include "programs/figures.h"
#include "programs/figures_all.h"
#include "programs/programs.h"

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
