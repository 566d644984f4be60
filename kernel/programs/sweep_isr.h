// SPDX-License-Identifier: MIT OR Apache-2.0
// The sweep's ISR. The figures include its instructions, so each machine has its own version. It first reads the counter, then
// records the gate and the interrupted address.
#ifndef DETENT_SWEEP_ISR_H
#define DETENT_SWEEP_ISR_H

#include "board.h"

#define SWEEP_ISR_LENGTH 8 // instructions, including its ret
#define SYSINTR_SWEEP (SYSINTR_FIRMWARE + LINE_1)

extern volatile uint32_t sweep_isr_at, sweep_isr_gate;
extern volatile uint64_t sweep_isr_interrupted;

DWORD sweep_isr(void); // returns SYSINTR_SWEEP

#endif
