// SPDX-License-Identifier: MIT OR Apache-2.0
// The type of an interrupt that a thread serves, one for each SYSINTR. The interrupt is in service from the setting of its event
// to InterruptDone.
#ifndef DETENT_IRQ_H
#define DETENT_IRQ_H

#include "detent.h"
#include "limits.h"

struct event;

enum irq_state {           // bits of `state`
    IRQ_IN_SERVICE = 1,    // between the event and InterruptDone
    IRQ_HELD = 2,          // another interrupt came meanwhile
    IRQ_ROTATES = 4,       // imitates profile.new_thread_quantum_defect
    IRQ_MASKS = 8,         // profile.done_at_tick: the line is masked while in service
    IRQ_DONE_AT_TICK = 16, // InterruptDone was called, and takes effect at the tick
    IRQ_FORGETS = 32,      // imitates profile.bitmask_defect or profile.list_defect
    IRQ_LEVEL = 64,        // has level-triggered lines; an ISR's answer masks its line until InterruptDone
    IRQ_UNCLAIMED = 128,   // the SYSINTR has no event
};
#define IRQ_PROFILE (IRQ_ROTATES | IRQ_MASKS | IRQ_FORGETS | IRQ_LEVEL)

struct irq {
    struct event *event;
    uint32_t state;
    uint32_t coalesced; // interrupts that came while another was held or pending, so that the event cannot count them
};

extern struct irq irqs[SYSINTR_LIMIT];  // defined in irq_end.c
extern volatile uint32_t irq_unclaimed; // answers of ISRs that are invalid or whose SYSINTR has no event

#endif
