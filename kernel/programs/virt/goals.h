// SPDX-License-Identifier: MIT OR Apache-2.0
// The goals of figures on arm64, on which no peer was measured.
#ifndef DETENT_GOALS_H
#define DETENT_GOALS_H

#define GOAL(pc, arm64) (arm64)
#define PEER(pc) 0

// A prediction of the latency model may be this many times the measured value. On a PC the factor is smaller.
#define PREDICTION_TIMES_10 17
#define PREDICTION_TIMES "1.7"

// Texts for messages: the device that interrupts at a chosen instruction (programs/stimulus.h), and why the machine
// cannot interrupt two lines at once.
#define STIMULUS_TIMER "counter of 1 GHz (QEMU: -cpu cortex-a57,cntfrq=1000000000)"
#define STIMULUS_NO_LINES "the processor has one timer for it"

#endif
