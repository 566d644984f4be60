// SPDX-License-Identifier: MIT OR Apache-2.0
// The idle threads of ILTiming: what the machine does while nothing is due.
#ifndef DETENT_ILTIMING_IDLE_H
#define DETENT_ILTIMING_IDLE_H

#include "detent.h"

#define ILTIMING_IDLE_KINDS 5

bool iltiming_idle_start(uint32_t kinds); // bit k - 1: -ik; several run side by side. False: one cannot, none runs
bool iltiming_idle_stop(void);            // waits until they have ended; false: one had already ended

#endif
