// SPDX-License-Identifier: MIT OR Apache-2.0
// Reads the bench's counter of heavy instructions. Each such instruction takes far longer on a real machine than the
// one instruction that it counts as here. The emulator counts them; the bench's documentation describes the counter's
// ports.
#ifndef DETENT_HEAVY_H
#define DETENT_HEAVY_H

#include <stdint.h>

#define HEAVY_CHARS 96

// Writes to `text` how many heavy instructions of each kind were executed between the stamps `from` and `to`, without
// spaces. Without a counter, it writes "not-counted".
void heavy_read(uint32_t from, uint32_t to, char text[HEAVY_CHARS]);

#endif
