// SPDX-License-Identifier: MIT OR Apache-2.0
// answer.h — how a kernel of your own answers the bench: C11 for a PC, 32 or 64 bits, and for the `virt` machines of arm64 and
// riscv64; gcc or clang.
//
// It needs connector.h beside it and nothing else. CONNECTOR.md says who calls what, and when. The caller may use ports:
// it runs in kernel mode, or its system has given it the right. Where there are none the connector's page is mapped as a
// device's memory, and ANSWER_PAGE is its address, where that is not its place in the machine's memory.
#ifndef BACKWALL_ANSWER_H
#define BACKWALL_ANSWER_H

#include <stdbool.h>
#include <stdint.h>

#include "connector.h"

#if defined(__i386__) || defined(__x86_64__)

static inline void answer_write(uint16_t port, uint8_t value)
{
    __asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port) : "memory");
}

static inline uint8_t answer_read(uint16_t port)
{
    uint8_t value;
    __asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"(port) : "memory");
    return value;
}

#else

#ifndef ANSWER_PAGE
#define ANSWER_PAGE CONNECTOR_PAGE
#endif

static inline void answer_write(uint16_t port, uint8_t value)
{
    ((volatile uint8_t *)(uintptr_t)ANSWER_PAGE)[port] = value;
}

static inline uint8_t answer_read(uint16_t port)
{
    return ((volatile uint8_t *)(uintptr_t)ANSWER_PAGE)[port];
}

#endif

// Whether there is an instrument at all.
static inline bool answer_wanted(void)
{
    return answer_read(CONNECTOR_END_PORT) == CONNECTOR_PRESENT;
}

// Lets the interrupt through, which starts the generator: once, when all that answers is ready. The firmware has looked
// for a printer and left lines high.
static inline void answer_arm(void)
{
    answer_write(CONNECTOR_A_PORT, 0);
    answer_write(CONNECTOR_A_PORT + CONNECTOR_CONTROL, CONNECTOR_ARMED);
}

// Response lines of port A, CONNECTOR_LINE_ISR for one. The levels of the others are read from the register and kept.
static inline void answer_raise(uint8_t line)
{
    answer_write(CONNECTOR_A_PORT, (uint8_t)(answer_read(CONNECTOR_A_PORT) | line));
}

static inline void answer_lower(uint8_t line)
{
    answer_write(CONNECTOR_A_PORT, (uint8_t)(answer_read(CONNECTOR_A_PORT) & ~line));
}

// The progress of a load, after each unit of its work.
static inline void answer_toggle(uint8_t line)
{
    answer_write(CONNECTOR_A_PORT, answer_read(CONNECTOR_A_PORT) ^ line);
}

// Ends the run; 0 for done.
static inline void answer_end(uint8_t code)
{
    answer_write(CONNECTOR_END_PORT, code);
}

#endif
