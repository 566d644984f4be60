// SPDX-License-Identifier: MIT OR Apache-2.0
// An interrupt on line 7's vector at a chosen instruction: the HPET's first timer, which counts tens of virtual
// nanoseconds, and padding before what is interrupted to reach the instants between.
#ifndef DETENT_STIMULUS_H
#define DETENT_STIMULUS_H

#include <stdbool.h>
#include <stdint.h>

#define UNIT_INSTRUCTIONS 10 // one count of the timer

bool stimulus_init(void);                    // false: no such timer
uint32_t stimulus_arm(uint32_t units);       // returns the instant at which it is due
void stimulus_padding(uint32_t instructions); // 0 to UNIT_INSTRUCTIONS - 1 more than nothing

#endif
