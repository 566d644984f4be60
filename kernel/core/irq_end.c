// SPDX-License-Identifier: MIT OR Apache-2.0
// See irq_end.h.
#include "core/irq_end.h"

#include "core/lines.h"
#include "core/profile.h"
#include "core/signal.h"

struct irq irqs[SYSINTR_LIMIT];
volatile uint32_t irq_unclaimed;

SELDOM void irq_init(void)
{
    for (unsigned i = 0; i < SYSINTR_LIMIT; i++)
        irqs[i] = (struct irq){.state = IRQ_UNCLAIMED};
    irq_unclaimed = 0;
}

void irq_mask(const struct irq *irq, enum line_mask why, bool masked)
{
    int line = sysintr_line((unsigned)(irq - irqs));
    if (line >= 0)
        line_mask((unsigned)line, why, masked);
}

SELDOM void irq_end(struct irq *irq)
{
    if (irq->state & IRQ_HELD) {
        irq->state = (irq->state & IRQ_PROFILE) | IRQ_IN_SERVICE;
        event_signal_rare(irq->event);
    } else {
        irq->state &= IRQ_PROFILE | IRQ_UNCLAIMED;
    }
}

// This loop is not divided into steps, because kernel_pass must not be called here (call.h).
SELDOM static void irq_end_at_tick(struct irq *irq)
{
    irq_mask(irq, LINE_IN_SERVICE, false);
    for (uint32_t lines = lines_take((unsigned)(irq - irqs)); lines != 0;) // at most IRQ_LINES rounds
        lines = lines_unmask_first(lines);
    irq_end(irq);
}

SELDOM void irq_tick(void)
{
    if (!profile.done_at_tick)
        return;
    for (unsigned i = SYSINTR_DEVICES; i < SYSINTR_LIMIT; i++)
        if (irqs[i].state & IRQ_DONE_AT_TICK)
            irq_end_at_tick(&irqs[i]);
}
