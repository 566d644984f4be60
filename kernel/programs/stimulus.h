// SPDX-License-Identifier: MIT OR Apache-2.0
// Interrupts at chosen instructions: the machine's timers count tens of virtual nanoseconds, and padding before the interrupted
// code gives the instants in between. The first timer interrupts on LINE_1, the others on LINE_2.
#ifndef DETENT_STIMULUS_H
#define DETENT_STIMULUS_H

#include <stdbool.h>
#include <stdint.h>

#define UNIT_INSTRUCTIONS 10 // instructions in one count of the timer
#define STIMULUS_LINE_7 0
#define STIMULUS_LINE_5 1 // timer of line 5; it also uses the next timer

bool stimulus_init(void);        // false: the machine has no such timer
bool stimulus_line_5_init(void); // false: the other timers cannot interrupt by a message of their own
uint32_t stimulus_arm_timer(unsigned timer, uint32_t units); // returns the instant at which the timer is due
static inline uint32_t stimulus_arm(uint32_t units)
{
    return stimulus_arm_timer(STIMULUS_LINE_7, units);
}
void stimulus_padding(uint32_t instructions); // adds 0 to UNIT_INSTRUCTIONS - 1 instructions of padding

#endif
