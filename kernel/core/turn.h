// SPDX-License-Identifier: MIT OR Apache-2.0
// Ends turns. A turn is the time that a thread runs before its equals come first. Gate closed.
#ifndef DETENT_TURN_H
#define DETENT_TURN_H

void turn_end_if_used_up(void);   // ends the running thread's turn, at a tick
void turn_end_by_interrupt(void); // an imitated defect: the interrupt found a running thread with no quantum left

#endif
