// SPDX-License-Identifier: MIT OR Apache-2.0
// See catch_up.h.
#include "core/catch_up.h"

#include "core/delivery.h"
#include "core/waits.h"

// Takes the pending bits with the gate closed. Each round is constant work, except for timeouts that are due.
void kernel_catch_up(void)
{
    do {
        irq_signal(pending_take());
        ready_switch();
        if (UNLIKELY(waits_unsettled != NULL))
            kernel_switch();
    } while (UNLIKELY(gate_open_found_pending()));
}

// Other calls may have left updates of priorities unfinished. This function leaves them unfinished too, because they
// may concern a chain of owners as long as the thread table. They should not delay a thread that returns from its wait,
// such as an interrupt's thread.
SELDOM void kernel_catch_up_woken(void)
{
    do
        kernel_pass_pending();
    while (gate_open_found_pending());
}

// Interrupts stay disabled from opening the gate to the return. An interrupt in between would use the stack below this one,
// without limit in a storm.
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
