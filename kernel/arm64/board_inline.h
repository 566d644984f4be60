// SPDX-License-Identifier: MIT OR Apache-2.0
// The inline functions of board.h on arm64. The connector is a page of memory, with its registers at the offsets of a PC's ports.
// The generators pulse on lines of the GPIO controller (PrimeCell PL061), which has one interrupt, LINE_1. So the second
// connector has outputs but no interrupt, and LINE_2 has no device.
//
// ISRs and threads both use outputs. Each bit has one user. A user that interrupts another user lowers its own bit
// before the other continues. So raising and lowering work with interrupts enabled.
#ifndef DETENT_BOARD_INLINE_H
#define DETENT_BOARD_INLINE_H

#include "arm64/machine.h"

#define PARALLEL_1 0x378 // offset of the data register in the page
#define PARALLEL_2 0x278
#define PARALLEL_CONTROL 2      // offset from the data register to the control register
#define PARALLEL_INTERRUPT 0x10 // bit in the control register

#define LINE_1 7
#define LINE_2 5
#define LINE_FREE 9
#define LINES_FREE 3, 4, 6, 9, 10, 11, 12, 14, 15

#define GIC_DISTRIBUTOR 0x08000000
#define GICD_ISPENDR 0x200

#define GPIO 0x09030000
#define GPIO_CLEAR 0x41C
#define GPIO_LINE_1 0x01 // the first connector's generator; the same bit as OUTPUT_ISR

extern volatile uint8_t outputs_state; // output levels of the first connector

static inline uint8_t connector_in(uint16_t place)
{
    return *(volatile uint8_t *)(uintptr_t)(CONNECTOR_WINDOW + place);
}

static inline void connector_out(uint16_t place, uint8_t value)
{
    *(volatile uint8_t *)(uintptr_t)(CONNECTOR_WINDOW + place) = value;
}

static inline void connector_send(uint16_t place, const void *bytes, size_t count)
{
    for (const uint8_t *next = bytes; count > 0; count--)
        connector_out(place, *next++);
}

// Assembly, because the compiler would need five more instructions on the path to an answer.
static inline void output_raise(uint8_t bits)
{
    uint64_t state, window;
    __asm__ volatile("ldrb %w0, %2\n\t"
                     "orr %w0, %w0, %w3\n\t"
                     "strb %w0, %2\n\t"
                     "mov %1, %4\n\t"
                     "strb %w0, [%1, %5]"
                     : "=&r"(state), "=&r"(window), "+m"(outputs_state)
                     : "Lr"((uint32_t)bits), "i"((int64_t)CONNECTOR_WINDOW), "i"(PARALLEL_1)
                     : "memory");
}

static inline void output_lower(uint8_t bits)
{
    uint64_t state, window;
    __asm__ volatile("ldrb %w0, %2\n\t"
                     "and %w0, %w0, %w3\n\t"
                     "strb %w0, %2\n\t"
                     "mov %1, %4\n\t"
                     "strb %w0, [%1, %5]"
                     : "=&r"(state), "=&r"(window), "+m"(outputs_state)
                     : "Lr"(~(uint32_t)bits), "i"((int64_t)CONNECTOR_WINDOW), "i"(PARALLEL_1)
                     : "memory");
}

// A pulse leaves outputs_state unchanged. A thread that interrupts the pulse lowers these bits early.
static inline void output_pulse(uint8_t bits)
{
    uint64_t state, raised;
    __asm__ volatile("ldrb %w0, %2\n\t"
                     "orr %w1, %w0, %w3\n\t"
                     "strb %w1, [%4, %5]\n\t"
                     "strb %w0, [%4, %5]"
                     : "=&r"(state), "=&r"(raised)
                     : "m"(outputs_state), "Lr"((uint32_t)bits), "r"((uint64_t)CONNECTOR_WINDOW), "i"(PARALLEL_1)
                     : "memory");
}

static inline void connector_interrupt(bool on)
{
    connector_out(PARALLEL_1 + PARALLEL_CONTROL, on ? PARALLEL_INTERRUPT : 0);
}

// The GPIO controller keeps an edge until it is acknowledged.
static inline void connector_interrupt_taken(void)
{
    uint64_t gpio, line;
    __asm__ volatile("mov %0, %2\n\t"
                     "mov %w1, %3\n\t"
                     "strb %w1, [%0, %4]"
                     : "=&r"(gpio), "=&r"(line)
                     : "i"(GPIO), "i"(GPIO_LINE_1), "i"(GPIO_CLEAR)
                     : "memory");
}

// The GPIO controller is mapped after the connector's window, so that one base register addresses both. The value that
// raises the output also acknowledges the line. This takes two instructions fewer than two calls. The value's other
// bits belong to lines whose edges nobody uses.
static inline void output_pulse_taken(uint8_t bits)
{
    uint64_t state, raised;
    __asm__ volatile("ldrb %w0, %2\n\t"
                     "orr %w1, %w0, %w3\n\t"
                     "strb %w1, [%4, %5]\n\t"
                     "strb %w0, [%4, %5]\n\t"
                     "str %w1, [%4, %6]"
                     : "=&r"(state), "=&r"(raised)
                     : "m"(outputs_state), "Lr"((uint32_t)bits), "r"((uint64_t)CONNECTOR_WINDOW), "i"(PARALLEL_1),
                       "i"(PAGE_BYTES + GPIO_CLEAR)
                     : "memory");
}

static inline void output_2_pulse(uint8_t bits)
{
    connector_out(PARALLEL_2, bits);
    connector_out(PARALLEL_2, 0);
}

static inline void connector_2_interrupt(bool on)
{
    connector_out(PARALLEL_2 + PARALLEL_CONTROL, on ? PARALLEL_INTERRUPT : 0);
}

static inline void line_interrupt(unsigned irq)
{
    *device_word(GIC_DISTRIBUTOR + GICD_ISPENDR + INTERRUPT_LINES / 8) = 1u << irq;
}

static inline uint32_t stamp(void)
{
    return (uint32_t)SYSTEM_READ(cntvct_el0);
}

// Flushes only the instruction caches, because no instruction flushes a whole data cache.
static inline void caches_flush(void)
{
    __asm__ volatile("ic iallu\n\tdsb sy\n\tisb" : : : "memory");
}

#endif
