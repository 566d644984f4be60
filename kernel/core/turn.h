// SPDX-License-Identifier: MIT OR Apache-2.0
// Turns: how long a thread runs before its equals come first. Gate closed.
#ifndef DETENT_TURN_H
#define DETENT_TURN_H

void turn_end_if_used_up(void);   // the running thread's, at a tick
void turn_end_by_interrupt(void); // a defect: an interrupt has found a running thread without remainder

#endif
