// SPDX-License-Identifier: MIT OR Apache-2.0
// Ends an interrupt's service: the next interrupt may come, and a held one is delivered at once. The gate must be closed.
#ifndef DETENT_IRQ_END_H
#define DETENT_IRQ_END_H

#include "core/irq.h"
#include "port.h"

void irq_init(void);                                                   // no interrupt has an event
void irq_mask(const struct irq *irq, enum line_mask why, bool masked); // masks the interrupt's line, if it has one
void irq_end(struct irq *irq); // the caller has already unmasked the interrupt's lines (lines.h)
void irq_tick(void);           // at each tick: makes earlier InterruptDone calls take effect, and unmasks their lines

#endif
