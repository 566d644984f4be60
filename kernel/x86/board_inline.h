// SPDX-License-Identifier: MIT OR Apache-2.0
// The inline functions of board.h on a PC: two parallel ports, with eight outputs and one interrupt each. Bit 4 of the control
// register enables the interrupt. IBM PC Technical Reference, parallel printer adapter.
//
// ISRs and threads both use outputs. Each bit has one user. A user that interrupts another user lowers its own bit
// before the other continues. So the two steps of raising and lowering work with interrupts enabled.
#ifndef DETENT_BOARD_INLINE_H
#define DETENT_BOARD_INLINE_H

#include "x86/machine.h"

#define PARALLEL_1 0x378 // the first register is the data register
#define PARALLEL_2 0x278
#define PARALLEL_CONTROL 2      // offset from the data register to the control register
#define PARALLEL_INTERRUPT 0x10 // bit in the control register

#define LINE_1 7
#define LINE_2 5
#define LINE_FREE 9
#define LINES_FREE 3, 4, 6, 9, 10, 11, 12, 14, 15

#define APIC_ICR 0x300
#define ICR_SELF 0x44000

extern volatile uint8_t outputs_state; // output levels of the first port

static inline uint8_t connector_in(uint16_t place)
{
    return in8(place);
}

static inline void connector_out(uint16_t place, uint8_t value)
{
    out8(place, value);
}

static inline void connector_send(uint16_t place, const void *bytes, size_t count)
{
    __asm__ volatile("rep outsb" : "+S"(bytes), "+c"(count) : "d"(place) : "memory");
}

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

static inline void output_pulse(uint8_t bits)
{
    output_raise(bits);
    output_lower(bits);
}

static inline void connector_interrupt(bool on)
{
    out8(PARALLEL_1 + PARALLEL_CONTROL, on ? PARALLEL_INTERRUPT : 0);
}

// An edge needs no acknowledgement.
static inline void connector_interrupt_taken(void)
{
}

static inline void output_pulse_taken(uint8_t bits)
{
    output_pulse(bits);
    connector_interrupt_taken();
}

static inline void output_2_pulse(uint8_t bits)
{
    out8(PARALLEL_2, bits);
    out8(PARALLEL_2, 0);
}

static inline void connector_2_interrupt(bool on)
{
    out8(PARALLEL_2 + PARALLEL_CONTROL, on ? PARALLEL_INTERRUPT : 0);
}

// The local APIC's interrupt to itself is taken before the next instruction.
static inline void line_interrupt(unsigned irq)
{
    *(volatile uint32_t *)(APIC_WINDOW + APIC_ICR) = ICR_SELF | LINE_VECTOR(irq);
}

static inline uint32_t stamp(void)
{
    uint32_t low;
    __asm__ volatile("rdtsc" : "=a"(low) : : "rdx", "memory");
    return low;
}

static inline void caches_flush(void)
{
    __asm__ volatile("wbinvd" : : : "memory");
}

#endif
