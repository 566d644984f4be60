// SPDX-License-Identifier: MIT OR Apache-2.0
// The end of an interrupt's service: it may come again, or comes at once when one was held. The gate must be closed.
#ifndef DETENT_IRQ_END_H
#define DETENT_IRQ_END_H

#include "core/irq.h"
#include "port.h"

void irq_init(void);                                                   // none has an event
void irq_mask(const struct irq *irq, enum line_mask why, bool masked); // its line, if it has one
void irq_end(struct irq *irq);                                         // its lines (lines.h) have been unmasked already
void irq_tick(void); // all that InterruptDone has left to the tick, their lines too

#endif
