// SPDX-License-Identifier: MIT OR Apache-2.0
// The inline part of board.h on arm64: the connector is a page of memory, its registers placed in it as a PC's ports are, and the
// generators pulse on lines of the GPIO controller (PrimeCell PL061), whose one interrupt is LINE_1: the second connector has
// outputs and no interrupt. No device is at LINE_2.
//
// Outputs are for ISRs and threads alike. Each bit has one user, and a user that interrupts another has lowered its
// bit again before the other goes on, so the steps of raising and lowering are safe without masking.
#ifndef DETENT_BOARD_INLINE_H
#define DETENT_BOARD_INLINE_H

#include "arm64/machine.h"

#define CONNECTOR_1 0x378 // the data register, in the page
#define CONNECTOR_2 0x278
#define CONNECTOR_CONTROL 2      // from the data register to the control register
#define CONNECTOR_INTERRUPT 0x10 // in the control register

#define LINE_1 7
#define LINE_2 5
#define LINE_FREE 9
#define LINES_FREE 3, 4, 6, 9, 10, 11, 12, 14, 15

#define GIC_DISTRIBUTOR 0x08000000
#define GICD_ISPENDR 0x200

#define GPIO 0x09030000
#define GPIO_CLEAR 0x41C
#define GPIO_LINE_1 0x01 // the first connector's generator

extern volatile uint8_t outputs_state; // of the first connector

static inline void connector_write(uintptr_t offset, uint8_t value)
{
    *(volatile uint8_t *)(CONNECTOR_WINDOW + offset) = value;
}

static inline void output_raise(uint8_t bits)
{
    uint8_t state = outputs_state | bits;
    outputs_state = state;
    connector_write(CONNECTOR_1, state);
}

static inline void output_lower(uint8_t bits)
{
    uint8_t state = outputs_state & (uint8_t)~bits;
    outputs_state = state;
    connector_write(CONNECTOR_1, state);
}

static inline void connector_interrupt(bool on)
{
    connector_write(CONNECTOR_1 + CONNECTOR_CONTROL, on ? CONNECTOR_INTERRUPT : 0);
}

// The GPIO controller keeps an edge until it is told.
static inline void connector_interrupt_taken(void)
{
    *(volatile uint8_t *)(GPIO + GPIO_CLEAR) = GPIO_LINE_1;
}

static inline void output_2_pulse(uint8_t bits)
{
    connector_write(CONNECTOR_2, bits);
    connector_write(CONNECTOR_2, 0);
}

static inline void connector_2_interrupt(bool on)
{
    connector_write(CONNECTOR_2 + CONNECTOR_CONTROL, on ? CONNECTOR_INTERRUPT : 0);
}

static inline void line_interrupt(unsigned irq)
{
    *device_word(GIC_DISTRIBUTOR + GICD_ISPENDR + INTERRUPT_LINES / 8) = 1u << irq;
}

static inline uint32_t stamp(void)
{
    return (uint32_t)SYSTEM_READ(cntvct_el0);
}

// The caches of instructions: those of data have no instruction for all of them.
static inline void caches_flush(void)
{
    __asm__ volatile("ic iallu\n\tdsb sy\n\tisb" : : : "memory");
}

#endif
