// SPDX-License-Identifier: MIT OR Apache-2.0
// The goals of figures on a PC, on which the recorded peers were measured too.
#ifndef DETENT_GOALS_H
#define DETENT_GOALS_H

#define GOAL(pc, arm64) (pc)
#define PEER(pc) (pc)

// A prediction of the latency model may be this many times the measured value.
#define PREDICTION_TIMES_10 15
#define PREDICTION_TIMES "1.5"

// Texts for messages: the device that interrupts at a chosen instruction (programs/stimulus.h), and why the machine
// cannot interrupt two lines at once.
#define STIMULUS_TIMER "HPET with a period of 10 ns"
#define STIMULUS_NO_LINES "the HPET's timers have no messages of their own (hpet.msi=on)"

#endif
