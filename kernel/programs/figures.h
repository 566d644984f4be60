// SPDX-License-Identifier: MIT OR Apache-2.0
// Figures: counts of executed instructions, each the difference of two readings of the time stamp counter,
// which under -icount shift=0 is the number of instructions from the first reading to the second, the first
// one counted. Nothing is subtracted: storing the reading and making the call are in the figure.
#ifndef DETENT_FIGURES_H
#define DETENT_FIGURES_H

#include "core.h"
#include "x86/machine.h"

#define FIGURE_REPEATS 200
#define APIC_ICR 0x300
#define ICR_SELF 0x44000

struct figure {
    uint32_t least, most, count;
};

static inline uint32_t stamp(void)
{
    uint32_t low;
    __asm__ volatile("rdtsc" : "=a"(low) : : "rdx", "memory");
    return low;
}

// The local APIC's interrupt to itself is taken before the next instruction.
static inline void trigger(uint32_t vector)
{
    *(volatile uint32_t *)(APIC_WINDOW + APIC_ICR) = ICR_SELF | vector;
}

static inline void figure_add(struct figure *figure, uint32_t value)
{
    if (figure->count == 0 || value < figure->least)
        figure->least = value;
    if (value > figure->most)
        figure->most = value;
    figure->count++;
}

HANDLE figure_thread(LPTHREAD_START_ROUTINE start, int priority);

#endif
