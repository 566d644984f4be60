// SPDX-License-Identifier: MIT OR Apache-2.0
// State machines of a PIO block: how a program gets into one, and how all start in the same cycle.
#ifndef PICO_PIO_H
#define PICO_PIO_H

#include <stdint.h>

// A program as it is in the block's 32 slots. It wraps from its last instruction to its first.
struct pio_program {
    const uint16_t *instructions;
    uint32_t length;
    uint32_t slot; // of the first instruction
};

// Stops the machines (a bit each) and gives up what is in their queues; both queues' depth goes to the one that is read.
void pio_stop(uint32_t block, uint32_t machines);

// Puts a program into the block and fits a stopped machine to it: `jump_pin` is the pin of `jmp pin`, `pins` the rest
// of the pin control register.
void pio_fit(uint32_t block, uint32_t machine, const struct pio_program *program, uint32_t jump_pin, uint32_t pins);

// Lets a stopped machine do one instruction at once.
void pio_do(uint32_t block, uint32_t machine, uint32_t instruction);

// Starts the machines (a bit each) in one cycle.
void pio_start(uint32_t block, uint32_t machines);

#endif
