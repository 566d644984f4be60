// SPDX-License-Identifier: MIT OR Apache-2.0
// The millisecond clock, and the threads' timeouts. The gate must be closed, except where an ISR is named.
#ifndef DETENT_TIMEOUTS_H
#define DETENT_TIMEOUTS_H

#include "core/thread.h"
#include "detent.h"

extern struct timeout timeouts_due; // head of a circular list; the clock thread is ready while the list has entries

void timeout_init(void);
void timeout_arm(struct thread *thread, uint32_t time_ms);
uint32_t timeout_start(struct thread *thread, uint32_t timeout_ms); // returns the state bits to set: none for INFINITE
void timeout_cancel(struct thread *thread);
void timeout_raise(const struct thread *thread); // call it when a sleeping thread's priority has been raised
// Answers the due timeouts. The clock thread answers those that are not urgent.
void timeout_expire(bool interrupted);
bool timeout_answer_one(void); // for the clock thread: wakes the first due thread; false if there is none
// Called by the timer's ISR, at most TIMEOUT_SLOTS milliseconds after the last call. Returns SYSINTR_RESCHED or
// SYSINTR_NOP.
DWORD timeout_tick(uint32_t elapsed_ms);
DWORD timeout_pass(uint32_t elapsed_ms); // the same after idling: no quantum is used up
uint32_t timeout_idle_ms(void);          // milliseconds until the scheduler is needed, 0 to TIMEOUT_SLOTS

#endif
