// SPDX-License-Identifier: MIT OR Apache-2.0
// See catch_up.h.
#include "core/catch_up.h"

#include "core/delivery.h"
#include "core/waits.h"

// The pending bits are taken with the gate closed; each round is constant work but for timeouts that are due.
void kernel_catch_up(void)
{
    do {
        irq_signal(pending_take());
        ready_switch();
        if (UNLIKELY(waits_unsettled != NULL))
            kernel_switch();
    } while (UNLIKELY(gate_open_found_pending()));
}

// What calls have left unsettled stays theirs: it may be a chain of owners as long as the table of threads, and who has only come back
// from its wait, an interrupt's thread for one, owes nothing.
SELDOM void kernel_catch_up_woken(void)
{
    do
        kernel_pass_pending();
    while (gate_open_found_pending());
}

// Masked from the opening on: an interrupt that came between it and the return would stack up on this one, and a
// storm would have no end of that.
void kernel_catch_up_masked(void)
{
    do {
        irq_signal(pending_take());
        ready_switch();
        if (UNLIKELY(waits_unsettled != NULL))
            kernel_switch();
        interrupts_mask();
    } while (UNLIKELY(gate_open_found_pending()));
}

void kernel_pass_pending(void)
{
    irq_signal(pending_take());
    ready_switch();
}
