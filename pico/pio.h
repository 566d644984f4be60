// SPDX-License-Identifier: MIT OR Apache-2.0
// State machines of a PIO block: loads a program into one, and starts several in the same cycle.
#ifndef PICO_PIO_H
#define PICO_PIO_H

#include <stdint.h>

// A program in the block's 32 instruction slots. It wraps from its last instruction to its first.
struct pio_program {
    const uint16_t *instructions;
    uint32_t length;
    uint32_t slot; // slot of the first instruction
};

// Stops the machines (one bit each) and drops the contents of their queues. The receive queue then has the depth of
// both queues.
void pio_stop(uint32_t block, uint32_t machines);

// Loads a program into the block and configures a stopped machine for it. `jump_pin` is the pin of `jmp pin`, `pins` the rest of
// the pin control register.
void pio_fit(uint32_t block, uint32_t machine, const struct pio_program *program, uint32_t jump_pin, uint32_t pins);

// Makes a stopped machine execute one instruction at once.
void pio_do(uint32_t block, uint32_t machine, uint32_t instruction);

// Starts the machines (one bit each) in the same cycle.
void pio_start(uint32_t block, uint32_t machines);

#endif
