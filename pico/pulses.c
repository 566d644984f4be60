// SPDX-License-Identifier: MIT OR Apache-2.0
// The generator is a state machine that counts pulses in X. ISR holds the length of the high level, OSR that of the low level.
//
//   16 again: set pins, 1
//   17        mov y, isr
//   18 high:  jmp y-- high      high: ISR + 3 ticks
//   19 first: set pins, 0
//   20        mov y, osr
//   21 low:   jmp y-- low
//   22        jmp x-- again     low: OSR + 4 ticks
//   23 rest:  jmp rest
//
// It starts at `first`, so the first pulse comes after one low level.
#include "pulses.h"

#include "chip.h"
#include "lines.h"
#include "pio.h"

#define MACHINE 3u
#define FIRST 19u
#define REST 23u
#define HIGH_OVERHEAD_TICKS 3u
#define LOW_OVERHEAD_TICKS 4u

#define DO_LOW 0xe000u    // set pins, 0
#define DO_INPUT 0xe080u  // set pindirs, 0
#define DO_OUTPUT 0xe081u // set pindirs, 1
#define DO_PULL 0x80a0u   // pull block
#define DO_COUNT 0xa027u  // mov x, osr
#define DO_HIGH 0xa0c7u   // mov isr, osr
#define SET_ONE_PIN (1u << 26 | LINES_PULSES_PIN << 5)

static const uint16_t pulses_instructions[] = {
    0xe001, 0xa046, 0x0092, 0xe000, 0xa047, 0x0095, 0x0050, 0x0017,
};
static const struct pio_program pulses_program = {
    pulses_instructions,
    sizeof pulses_instructions / sizeof pulses_instructions[0],
    16,
};

static void pulses_give(uint32_t value, uint32_t then)
{
    REGISTER(PIO0 + PIO_TXF(MACHINE)) = value;
    pio_do(PIO0, MACHINE, DO_PULL);
    if (then)
        pio_do(PIO0, MACHINE, then);
}

void pulses_fit(uint32_t high_ticks, uint32_t low_ticks, uint32_t count)
{
    pulses_stop();
    REGISTER(PIO0 + PIO_SHIFTCTRL(MACHINE)) = 0; // only the CPU writes to this machine
    pulses_give(count, DO_COUNT);
    pulses_give(high_ticks - HIGH_OVERHEAD_TICKS, DO_HIGH);
    pulses_give(low_ticks - LOW_OVERHEAD_TICKS, 0);
    pio_do(PIO0, MACHINE, DO_OUTPUT);
    pio_do(PIO0, MACHINE, FIRST);
}

bool pulses_running(void)
{
    return (REGISTER(PIO0 + PIO_CTRL) & PULSES_MACHINE) && REGISTER(PIO0 + PIO_ADDR(MACHINE)) != REST;
}

void pulses_stop(void)
{
    pio_stop(PIO0, PULSES_MACHINE);
    pio_fit(PIO0, MACHINE, &pulses_program, 0, SET_ONE_PIN);
    pio_do(PIO0, MACHINE, DO_LOW);
    pio_do(PIO0, MACHINE, DO_INPUT);
}
