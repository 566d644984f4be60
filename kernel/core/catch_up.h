// SPDX-License-Identifier: MIT OR Apache-2.0
// The work of the thread that opens the gate last (gate.h) if interrupts are pending: it sets the events of the ISRs' answers,
// and lets the woken threads run.
#ifndef DETENT_CATCH_UP_H
#define DETENT_CATCH_UP_H

// Called by the thread that opened the gate last, if an interrupt is pending. This function and the next return with
// the gate open.
void kernel_catch_up(void);
void kernel_catch_up_woken(void);  // the same, for a thread that returns from its wait
void kernel_catch_up_masked(void); // for the exit of an ISR: returns with interrupts masked
// Called by a thread that has closed the gate exactly once, if an interrupt is pending. Does the same without opening
// the gate.
void kernel_pass_pending(void);

#endif
