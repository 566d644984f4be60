// SPDX-License-Identifier: MIT OR Apache-2.0
// Serves the parallel port's interrupt as a driver would: the ISR, its thread (the IST) and an application answer it.
#ifndef DETENT_ANSWER_H
#define DETENT_ANSWER_H

#include "board.h"

#define SYSINTR_ANSWER (SYSINTR_FIRMWARE + LINE_1)
#define SYSINTR_ANSWER_2 (SYSINTR_FIRMWARE + LINE_2)
#define ANSWER_IST_PRIORITY 0

// How far the programs answer an interrupt. Each level answers on its own output and includes the previous levels.
enum answer_depth { ANSWER_ISR, ANSWER_IST, ANSWER_APPLICATION, ANSWER_APPLICATION_ALONE };

// Hooks line 7 and enables the port's interrupt. With ANSWER_APPLICATION, the IST sets application_event. With
// ANSWER_APPLICATION_ALONE, the kernel sets it for the ISR's SYSINTR, and the application calls InterruptDone.
void answer_start(enum answer_depth depth, HANDLE application_event);
// The same for line 5, answered by its ISR and thread on the second port.
void answer_start_2(void);

#endif
