// SPDX-License-Identifier: MIT OR Apache-2.0
// The clock that counts milliseconds, and the timeouts that threads set on it. The gate must be closed, but where an
// ISR is named.
#ifndef DETENT_TIMEOUTS_H
#define DETENT_TIMEOUTS_H

#include "core/thread.h"
#include "detent.h"

extern struct timeout timeouts_due; // circular; itself is no timeout. While there is one, the clock thread is ready

void timeout_init(void);
void timeout_arm(struct thread *thread, uint32_t time_ms);
uint32_t timeout_start(struct thread *thread, uint32_t timeout_ms); // the state bits it gives: none for INFINITE
void timeout_cancel(struct thread *thread);
void timeout_raise(const struct thread *thread); // a sleeping thread has become higher
// Answers everything that is due, or leaves it to the clock thread if an interrupt waits.
void timeout_expire(bool interrupted);
bool timeout_answer_one(void); // for the clock thread: the first of those who are due; false when there is none
// Called by the timer's ISR, at most TIMEOUT_SLOTS after the last call. Returns SYSINTR_RESCHED or SYSINTR_NOP.
DWORD timeout_tick(uint32_t elapsed_ms);
DWORD timeout_pass(uint32_t elapsed_ms); // the same after idling: nobody's quantum is spent
uint32_t timeout_idle_ms(void);          // until the scheduler is needed, 0 to TIMEOUT_SLOTS

#endif
