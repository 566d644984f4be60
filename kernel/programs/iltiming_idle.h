// SPDX-License-Identifier: MIT OR Apache-2.0
// The idle threads of ILTiming: what the machine does while nothing is due.
#ifndef DETENT_ILTIMING_IDLE_H
#define DETENT_ILTIMING_IDLE_H

#include "detent.h"

void iltiming_idle_start(uint32_t kind); // 0 to 5
void iltiming_idle_stop(void);           // and waits until they have ended

#endif
