// SPDX-License-Identifier: MIT OR Apache-2.0
// The sampler is a state machine of the second PIO block, which pushes four samples in each word, and a DMA channel that stores
// the words in a ring.
#include "sampler.h"

#include "chip.h"
#include "edges.h"
#include "lines.h"
#include "pio.h"

#define MACHINE 0u
#define CHANNEL 3u
#define RING_BITS 15u
#define RING_SAMPLES (1u << RING_BITS)
#define WORD_SAMPLES 4u
#define COUNT_MAX 0xffffffffu
#define DIVIDER_MAX 0xffffu
#define SLOW_OVERHEAD_TICKS 3u
#define DO_PULL 0x80a0u // pull block

// in pins, 8
static const uint16_t sampler_fast_instructions[] = {0x4008};
static const struct pio_program sampler_fast = {sampler_fast_instructions, 1, 0};
// in pins, 8; mov y, osr; wait: jmp y-- wait         OSR + 3 ticks
static const uint16_t sampler_slow_instructions[] = {0x4008, 0xa047, 0x0082};
static const struct pio_program sampler_slow = {sampler_slow_instructions, 3, 0};

// The divider supports up to 65,535 ticks without a fraction. The program counts longer steps.
static void sampler_fit(uint32_t step_ticks)
{
    if (step_ticks <= DIVIDER_MAX) {
        pio_fit(PIO1, MACHINE, &sampler_fast, 0, LINES_PULSES_PIN << 15);
        REGISTER(PIO1 + PIO_CLKDIV(MACHINE)) = step_ticks << 16;
    } else {
        pio_fit(PIO1, MACHINE, &sampler_slow, 0, LINES_PULSES_PIN << 15);
        REGISTER(PIO1 + PIO_SHIFTCTRL(MACHINE)) = 0;
        REGISTER(PIO1 + PIO_TXF(MACHINE)) = step_ticks - SLOW_OVERHEAD_TICKS;
        pio_do(PIO1, MACHINE, DO_PULL);
    }
    REGISTER(PIO1 + PIO_SHIFTCTRL(MACHINE)) = PIO_SHIFT_JOIN_RX | PIO_SHIFT_AUTOPUSH | PIO_SHIFT_IN_RIGHT;
}

void sampler_start(uint32_t step_ticks)
{
    sampler_stop();
    sampler_fit(step_ticks);
    REGISTER(DMA_READ(CHANNEL)) = PIO1 + PIO_RXF(MACHINE);
    REGISTER(DMA_WRITE(CHANNEL)) = (uint32_t)(uintptr_t)edges_memory();
    REGISTER(DMA_COUNT(CHANNEL)) = COUNT_MAX;
    REGISTER(DMA_CTRL_TRIGGER(CHANNEL)) = DMA_ENABLE | DMA_WORDS | DMA_STEP_WRITE | DMA_RING_WRITE(RING_BITS)
                                          | DMA_CHAIN_TO(CHANNEL) | DMA_PACED_BY(DMA_PIO1_RX(MACHINE));
    pio_start(PIO1, 1u << MACHINE);
}

uint32_t sampler_seen(void)
{
    return (COUNT_MAX - REGISTER(DMA_COUNT(CHANNEL))) * WORD_SAMPLES;
}

uint8_t sampler_sample(uint32_t number)
{
    return ((const uint8_t *)edges_memory())[number % RING_SAMPLES];
}

void sampler_stop(void)
{
    pio_stop(PIO1, 1u << MACHINE);
    REGISTER(DMA_ABORT) = 1u << CHANNEL;
    while (REGISTER(DMA_ABORT) & 1u << CHANNEL) {
    }
}
