// SPDX-License-Identifier: MIT OR Apache-2.0
// The parts of the machine that programs in the image can use besides the kernel's calls (detent.h): the outputs and
// lines of its connectors, the tick, and a frame buffer. The port's folder defines the inline functions in
// board_inline.h and the other functions in further files. The core uses none of this (port.h).
#ifndef DETENT_BOARD_H
#define DETENT_BOARD_H

#include "core/profile.h"
#include "port.h"

// ---- two connectors with eight outputs and one interrupt line each; LINE_1 can interrupt the ISR of LINE_2 ----

static inline void output_raise(uint8_t bits); // raises outputs of the first connector
static inline void output_lower(uint8_t bits);
static inline void output_pulse(uint8_t bits);       // raises these outputs and lowers them at once
static inline void output_2_pulse(uint8_t bits);     // pulses outputs of the second connector, which can only pulse
static inline void connector_interrupt(bool on);     // enables or disables the first connector's interrupt
static inline void connector_interrupt_taken(void);  // from its ISR: allows the next interrupt
static inline void output_pulse_taken(uint8_t bits); // allows the next interrupt; pulses the outputs, OUTPUT_ISR too
static inline void connector_2_interrupt(bool on);   // the second connector's interrupt
static inline void line_interrupt(unsigned irq);     // raises the device's interrupt before the next instruction
// The connector's other registers (see wire/CONNECTOR.md). On a PC a register is given by its address, elsewhere by its
// offset in the connector's page.
static inline uint8_t connector_in(uint16_t place);
static inline void connector_out(uint16_t place, uint8_t value);
static inline void connector_send(uint16_t place, const void *bytes, size_t count); // sends all bytes to one place
// LINE_1 and LINE_2 are the connectors' lines. LINE_FREE has no device. LINES_FREE are all lines without a device that may be
// level-triggered.

// ---- the tick, for code that watches or moves it ----

void clock_restart(uint32_t counts);                // the next tick comes after this many counts from now
uint64_t clock_tick_due(void);                      // when the last tick was due
uint64_t clock_tick_seen(void);                     // when the last tick's ISR read the counter
void clock_hook(DWORD (*after_tick)(DWORD answer)); // after_tick may replace the tick's answer; NULL: no hook

// Counts of the counter between two ticks.
static inline uint64_t clock_tick_counts(void)
{
    return counter_hz / 1000 * profile.tick_ms;
}

static inline uint32_t stamp(void); // low half of the counter, read by one instruction

// ---- the caches, for code that must start with cold ones ----

static inline void caches_flush(void);

// ---- a picture of 256 colours, one byte per point ----

#define FRAMEBUFFER_WIDTH 320
#define FRAMEBUFFER_HEIGHT 200
uint8_t *framebuffer_start(void); // sets the mode; returns the picture's first byte, rows from top to bottom

// ---- the image in memory, and what is next to it ----

extern char image_start[], bss_end[];
// The first file that the boot loader put next to the image; *bytes is 0 if there is none.
const void *boot_module(size_t *bytes);

#include "board_inline.h"

#endif
