// SPDX-License-Identifier: MIT OR Apache-2.0
// Figures of the sweep: the longest time with interrupts disabled, and the longest wait of an interrupt thread, over all calls.
#include "programs/figures.h"
#include "programs/figures_all.h"
#include "programs/sweep_calls.h"

bool worst_figure_print(const char *name, const struct worst *worst, uint32_t goal, uint32_t peer, uint32_t count)
{
    uint64_t offset = 0;
    const char *owner = symbol_name(worst->where, &offset);
    NKDbgPrintfW("figure %s %u goal %u peer %u min 0 count %u heavy=%s owner %s+0x%lx in %s\n", name, worst->value,
                 goal, peer, count, worst->heavy, owner, offset, worst->call);
    return worst->value <= goal;
}

bool figures_by_sweep(void)
{
    struct worst masked = {.call = "-", .heavy = "-"}, held = masked;
    uint32_t instants = 0;
    bool whole = true;
    if (!sweep_init())
        return true;
    sweep_calls_init();
    for (unsigned i = 0; i < sweep_call_count; i++) {
        struct sweep sweep;
        sweep_begin(&sweep, sweep_calls[i].name);
        sweep_call(&sweep, &sweep_calls[i], 0);
        sweep_print(&sweep);
        whole &= sweep_is_whole(&sweep);
        instants += sweep.covered;
        sweep.isr.value -= sweep.isr_least;
        sweep.ist.value -= sweep.ist_least;
        worst_update(&masked, &sweep.isr);
        worst_update(&held, &sweep.ist);
    }
    sweep_end();
    bool met = worst_figure_print("masked-longest", &masked, GOAL(30, 40), PEER(42), instants);
    met &= worst_figure_print("held-longest", &held, GOAL(250, 300), 0, instants);
    return met && whole;
}
