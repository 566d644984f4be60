// SPDX-License-Identifier: MIT OR Apache-2.0
// answer.h — lets a kernel of your own answer the bench. C11, gcc or clang, for a PC with 32 or 64 bits and for the `virt`
// machines of arm64 and riscv64.
//
// It needs only connector.h in the same folder. CONNECTOR.md says who answers on which line, and when. On a PC, the caller must
// be allowed to use ports: it runs in kernel mode, or its system has permitted it. On other machines, the caller must map the
// connector's page as device memory, and define ANSWER_PAGE if the page has another address than in the machine's memory.
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

// Whether there is an instrument.
static inline bool answer_wanted(void)
{
    return answer_read(CONNECTOR_END_PORT) == CONNECTOR_PRESENT;
}

// Enables the interrupt, which starts the generator. Call it once, when all code that answers is ready. This call also
// lowers all lines, because a firmware that has looked for a printer leaves some lines high.
static inline void answer_arm(void)
{
    answer_write(CONNECTOR_A_PORT, 0);
    answer_write(CONNECTOR_A_PORT + CONNECTOR_CONTROL, CONNECTOR_ARMED);
}

// Raises or lowers a response line of port A, such as CONNECTOR_LINE_ISR. The other lines keep their levels.
static inline void answer_raise(uint8_t line)
{
    answer_write(CONNECTOR_A_PORT, (uint8_t)(answer_read(CONNECTOR_A_PORT) | line));
}

static inline void answer_lower(uint8_t line)
{
    answer_write(CONNECTOR_A_PORT, (uint8_t)(answer_read(CONNECTOR_A_PORT) & ~line));
}

// Call it after each unit of a load's work with CONNECTOR_LINE_PROGRESS.
static inline void answer_toggle(uint8_t line)
{
    answer_write(CONNECTOR_A_PORT, answer_read(CONNECTOR_A_PORT) ^ line);
}

// Ends the run; code 0: done.
static inline void answer_end(uint8_t code)
{
    answer_write(CONNECTOR_END_PORT, code);
}

#endif
