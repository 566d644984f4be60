// SPDX-License-Identifier: MIT OR Apache-2.0
// Three state machines run the same program. Each has a DMA channel that stores the pushed words in a ring.
//
//   0 low:  jmp pin rise
//   1       jmp x-- low         a look at the line every 2 ticks
//   2       jmp low             only where X passed 0
//   3 rise: mov isr, x
//   4       push noblock
//   5 high: jmp x-- next
//   6 next: jmp pin high
//   7       mov isr, x
//   8       push noblock        continues at 0
#include "edges.h"

#include "chip.h"
#include "pio.h"

#define RING_BITS 15u // 32 KiB, the largest ring of the DMA (datasheet 2.5.7)
#define COUNT_MAX 0xffffffffu
// The DMA may have written words that its count does not show yet.
#define IN_FLIGHT 16u

#define DO_ZERO 0xe020u // set x, 0
#define DO_ALL 0xa029u  // mov x, ~x

_Static_assert(EDGES_KEPT * sizeof(uint32_t) == 1u << RING_BITS, "a ring is as large as the DMA's");

static uint32_t edges_rings[LINES_STAMPED][EDGES_KEPT] __attribute__((section(".rings"), aligned(1u << RING_BITS)));
static uint32_t edges_taken[LINES_STAMPED];

static const uint16_t edges_instructions[] = {
    0x00c3, 0x0040, 0x0000, 0xa0c1, 0x8000, 0x0046, 0x00c5, 0xa0c1, 0x8000,
};
static const struct pio_program edges_program = {
    edges_instructions,
    sizeof edges_instructions / sizeof edges_instructions[0],
    0,
};

static void edges_fit_ring(uint32_t line)
{
    REGISTER(DMA_READ(line)) = PIO0 + PIO_RXF(line);
    REGISTER(DMA_WRITE(line)) = (uint32_t)(uintptr_t)edges_rings[line];
    REGISTER(DMA_COUNT(line)) = COUNT_MAX;
    REGISTER(DMA_CTRL_TRIGGER(line)) = DMA_ENABLE | DMA_WORDS | DMA_STEP_WRITE | DMA_RING_WRITE(RING_BITS)
                                       | DMA_CHAIN_TO(line) | DMA_PACED_BY(DMA_PIO0_RX(line));
}

void edges_fit(void)
{
    edges_stop();
    for (uint32_t line = 0; line < LINES_STAMPED; line++) {
        pio_fit(PIO0, line, &edges_program, LINES_PULSES_PIN + line, 0);
        pio_do(PIO0, line, DO_ZERO);
        pio_do(PIO0, line, DO_ALL);
        edges_fit_ring(line);
        edges_taken[line] = 0;
    }
}

static uint32_t edges_seen(uint32_t line)
{
    return COUNT_MAX - REGISTER(DMA_COUNT(line));
}

// The oldest edge that is not overwritten if `seen` edges were seen.
static uint32_t edges_oldest(uint32_t seen)
{
    return seen > EDGES_KEPT - IN_FLIGHT ? seen - (EDGES_KEPT - IN_FLIGHT) : 0;
}

uint32_t edges_take(uint32_t line, uint32_t *to, uint32_t room, uint32_t *first)
{
    uint32_t seen = edges_seen(line);
    uint32_t begin = edges_taken[line];
    uint32_t count;
    uint32_t oldest;

    if (begin < edges_oldest(seen))
        begin = seen - EDGES_KEPT / 2; // not from the oldest edge, which would be overwritten during the copy
    count = seen - begin < room ? seen - begin : room;
    for (uint32_t i = 0; i < count; i++)
        to[i] = edges_rings[line][(begin + i) % EDGES_KEPT];
    // Drops edges that were overwritten meanwhile; the edges after them follow in the next answer.
    oldest = edges_oldest(edges_seen(line));
    if (oldest > begin)
        count = 0;
    *first = begin;
    edges_taken[line] = oldest > begin ? oldest : begin + count;
    return count;
}

bool edges_spoilt(void)
{
    return REGISTER(PIO0 + PIO_FDEBUG) & PIO_FDEBUG_RXSTALL(EDGES_MACHINES);
}

void edges_stop(void)
{
    pio_stop(PIO0, EDGES_MACHINES);
    REGISTER(DMA_ABORT) = EDGES_MACHINES;
    while (REGISTER(DMA_ABORT) & EDGES_MACHINES) {
    }
}

uint32_t *edges_memory(void)
{
    return edges_rings[0];
}
