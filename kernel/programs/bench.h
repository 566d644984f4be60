// SPDX-License-Identifier: MIT OR Apache-2.0
// The bench's stimulus as a driver would serve it: what the ISR, its thread and an application answer.
#ifndef DETENT_BENCH_H
#define DETENT_BENCH_H

#include "detent.h"

#define SYSINTR_BENCH (SYSINTR_FIRMWARE + 7)
#define SYSINTR_BENCH_2 (SYSINTR_FIRMWARE + 5)
#define BENCH_IST_PRIORITY 0

// How far a stimulus is answered; each level answers on its own line and includes those before it.
enum bench_depth { BENCH_ISR, BENCH_IST, BENCH_APPLICATION };

// Hooks line 7 and arms the generator. application_event, with BENCH_APPLICATION, is set by the IST.
void bench_start(enum bench_depth depth, HANDLE application_event);
// The same for line 5, answered by its ISR and thread on the second port.
void bench_start_2(void);

#endif
