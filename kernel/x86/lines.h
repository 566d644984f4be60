// SPDX-License-Identifier: MIT OR Apache-2.0
// Response lines of the bench, for ISRs and threads. Each bit has one user, and a user that interrupts
// another has lowered its bit again before the other goes on, so two steps are safe without masking.
#ifndef DETENT_LINES_H
#define DETENT_LINES_H

#include "x86/machine.h"

#define LINES_DATA 0x378
#define LINES_CONTROL 0x37A
#define LINES_DATA_2 0x278 // the second port, with line 5
#define LINES_CONTROL_2 0x27A
#define LINES_ARMED 0x10 // in the control register; its rising edge starts the generator
#define LINES_IRQ 7
#define LINES_IRQ_2 5
#define LINE_ISR 0x01
#define LINE_IST 0x02
#define LINE_APP 0x04
#define LINE_LOAD 0x08

extern volatile uint8_t lines_state;

static inline void line_raise(uint8_t line)
{
    __asm__ volatile("orb %1, %0" : "+m"(lines_state) : "iq"(line) : "cc");
    out8(LINES_DATA, lines_state);
}

static inline void line_lower(uint8_t line)
{
    __asm__ volatile("andb %1, %0" : "+m"(lines_state) : "iq"((uint8_t)~line) : "cc");
    out8(LINES_DATA, lines_state);
}

static inline void lines_arm(bool armed) { out8(LINES_CONTROL, armed ? LINES_ARMED : 0); }

// The second port's lines are only pulsed, never held, so its state is always nothing.
static inline void line_2_pulse(uint8_t line)
{
    out8(LINES_DATA_2, line);
    out8(LINES_DATA_2, 0);
}

static inline void lines_2_arm(bool armed) { out8(LINES_CONTROL_2, armed ? LINES_ARMED : 0); }

#endif
