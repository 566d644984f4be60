// SPDX-License-Identifier: MIT OR Apache-2.0
// See delivery.h.
#include "core/delivery.h"

#include "core/defects.h"
#include "core/irq_end.h"
#include "core/profile.h"
#include "core/signal.h"
#include "core/timeouts.h"
#include "core/turn.h"
#include "port.h"

// While an interrupt is in service, one more is held, and InterruptDone delivers it. Any further ones are only counted.
SELDOM static __attribute__((noinline)) void irq_deliver_rare(struct irq *irq)
{
    if (irq->state & IRQ_UNCLAIMED) {
        irq_unclaimed++;
        return;
    }
    if (irq->state & IRQ_IN_SERVICE) {
        irq->coalesced += (irq->state & IRQ_HELD) != 0;
        irq->state |= IRQ_HELD;
        return;
    }
    uint64_t seen = kernel_pending;
    irq->state |= IRQ_IN_SERVICE;
    if (irq->state & IRQ_MASKS)
        irq_mask(irq, LINE_IN_SERVICE, true);
    event_signal(irq->event);
    if (irq->state & IRQ_ROTATES)
        turn_end_by_interrupt();
    if (irq->state & IRQ_FORGETS)
        irq_forget(seen);
}

static inline void irq_deliver(struct irq *irq)
{
    if (UNLIKELY(irq->state != 0)) {
        irq_deliver_rare(irq);
        return;
    }
    irq->state = IRQ_IN_SERVICE;
    event_signal(irq->event);
}

// Handles SYSINTR_RESCHED.
static __attribute__((noinline)) void irq_resched(bool more)
{
    timeout_expire(more);
    irq_tick();
    turn_end_if_used_up();
}

// Returns the bits that became pending in the meantime.
static inline __attribute__((always_inline)) uint64_t irq_system(unsigned sysintr, bool more)
{
    if (sysintr == PENDING_CLOCK_STOPPED) {
        clock_resume_soon();
    } else if (sysintr == SYSINTR_RESCHED) {
        irq_resched(more);
        return profile.split_calls && gate_has_pending() ? pending_take() : 0;
    } else {
        irq_unclaimed++;
    }
    return 0;
}

void irq_signal(uint64_t pending)
{
    while (pending != 0) { // at most SYSINTR_LIMIT rounds
        unsigned sysintr = (unsigned)__builtin_ctzll(pending);
        pending &= pending - 1;
        if (LIKELY(sysintr >= SYSINTR_DEVICES))
            irq_deliver(&irqs[sysintr]);
        else
            pending |= irq_system(sysintr, pending != 0);
    }
}
