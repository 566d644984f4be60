// SPDX-License-Identifier: MIT OR Apache-2.0
// What the last opening of the gate (gate.h) has to catch up with: the ISRs' answers become events, and who they wake runs.
#ifndef DETENT_CATCH_UP_H
#define DETENT_CATCH_UP_H

// For the thread that opened the gate last, if something is pending. They return with the gate open.
void kernel_catch_up(void);
void kernel_catch_up_woken(void);  // the same, for a thread that returns from its wait
void kernel_catch_up_masked(void); // for the exit of an ISR: returns with interrupts masked
// For the thread that holds the gate, closed once, if something is pending: the same without opening it.
void kernel_pass_pending(void);

#endif
