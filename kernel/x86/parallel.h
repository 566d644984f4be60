// SPDX-License-Identifier: MIT OR Apache-2.0
// The PC's two parallel ports: eight outputs and one interrupt each. IBM PC Technical Reference, parallel printer adapter;
// bit 4 of the control register lets the interrupt through.
//
// Outputs are for ISRs and threads alike. Each bit has one user, and a user that interrupts another has lowered its
// bit again before the other goes on, so the two steps of raising and lowering are safe without masking.
#ifndef DETENT_PARALLEL_H
#define DETENT_PARALLEL_H

#include "x86/machine.h"

#define PARALLEL_1 0x378 // the first register, which is the data register
#define PARALLEL_1_IRQ 7
#define PARALLEL_2 0x278
#define PARALLEL_2_IRQ 5
#define PARALLEL_CONTROL 2      // from the data register to the control register
#define PARALLEL_INTERRUPT 0x10 // in the control register

extern volatile uint8_t outputs_state; // of the first port

static inline void output_raise(uint8_t bits)
{
    __asm__ volatile("orb %1, %0" : "+m"(outputs_state) : "iq"(bits) : "cc");
    out8(PARALLEL_1, outputs_state);
}

static inline void output_lower(uint8_t bits)
{
    __asm__ volatile("andb %1, %0" : "+m"(outputs_state) : "iq"((uint8_t)~bits) : "cc");
    out8(PARALLEL_1, outputs_state);
}

static inline void parallel_interrupt(bool on)
{
    out8(PARALLEL_1 + PARALLEL_CONTROL, on ? PARALLEL_INTERRUPT : 0);
}

// The second port's outputs are only pulsed, never held, so its state is always nothing.
static inline void output_2_pulse(uint8_t bits)
{
    out8(PARALLEL_2, bits);
    out8(PARALLEL_2, 0);
}

static inline void parallel_2_interrupt(bool on)
{
    out8(PARALLEL_2 + PARALLEL_CONTROL, on ? PARALLEL_INTERRUPT : 0);
}

#endif
