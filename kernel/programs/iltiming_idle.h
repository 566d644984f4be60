// SPDX-License-Identifier: MIT OR Apache-2.0
// The idle threads of ILTiming, which run while no interrupt is due.
#ifndef DETENT_ILTIMING_IDLE_H
#define DETENT_ILTIMING_IDLE_H

#include "detent.h"

#define ILTIMING_IDLE_KINDS 5

// Bit k - 1 of `kinds` is the option -ik; several run at once. False if one cannot start: then none runs.
bool iltiming_idle_start(uint32_t kinds);
bool iltiming_idle_stop(void); // waits for their end; false if one had already ended

#endif
