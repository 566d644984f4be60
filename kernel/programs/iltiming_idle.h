// SPDX-License-Identifier: MIT OR Apache-2.0
// The idle threads of ILTiming, which run while no interrupt is due.
#ifndef DETENT_ILTIMING_IDLE_H
#define DETENT_ILTIMING_IDLE_H

#include "detent.h"

#define ILTIMING_IDLE_KINDS 5

// Starts the idle threads in `kinds`, all at once; bit k - 1 is the option -ik. False if one of them cannot start; then
// none runs.
bool iltiming_idle_start(uint32_t kinds);
bool iltiming_idle_stop(void); // waits for their end; false if one had already ended

#endif
