// SPDX-License-Identifier: MIT OR Apache-2.0
// What an interrupt meets at every instruction of a call.
#ifndef DETENT_SWEEP_H
#define DETENT_SWEEP_H

#include "programs/sweep_calls.h"

// Delays in instructions from the instant at which the interrupt was due, over all instants swept; where:
// the address that was interrupted at the worst of them.
struct sweep {
    uint32_t isr_least, isr_most, ist_least, ist_most;
    uint32_t closed_most; // longest run of instants at which the gate was closed
    uint64_t isr_where, ist_where, closed_where;
    uint32_t runs, lost;
    uint32_t closed; // of the run under way
};

#define SWEEP_NEW ((struct sweep){.isr_least = UINT32_MAX, .ist_least = UINT32_MAX})

bool sweep_init(void); // false, with a line printed, when the machine has no timer to do it with
void sweep_end(void);
// Adds all instants of one call. tick_lead: when not 0, a tick with a timeout is due so many cycles after
// the call's preparation.
void sweep_call(struct sweep *sweep, const struct sweep_call *call, uint32_t tick_lead);
// An interrupt while the gate is closed: from the ISR's end back to the interrupted code, and from there, the gate
// opened, to the interrupt thread.
void sweep_closed(uint32_t *isr_exit, uint32_t *schedule);
#define SWEEP_ISR_LENGTH 8 // instructions of the sweep's ISR, its ret included
void sweep_print(const struct sweep *sweep, const char *name);

#endif
