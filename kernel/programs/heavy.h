// SPDX-License-Identifier: MIT OR Apache-2.0
// Reads the bench's counter of heavy instructions. Each such instruction takes far longer on a real machine than the
// one instruction that it counts as here. The emulator counts them; the bench's documentation describes the counter's
// ports.
#ifndef DETENT_HEAVY_H
#define DETENT_HEAVY_H

#include <stdint.h>

#define HEAVY_CHARS 96

// The heavy instructions from stamp `from` on and before stamp `to`: each kind with its number, without spaces; "not-counted"
// without a counter.
void heavy_read(uint32_t from, uint32_t to, char text[HEAVY_CHARS]);

#endif
