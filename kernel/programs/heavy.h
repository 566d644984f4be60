// SPDX-License-Identifier: MIT OR Apache-2.0
// The bench's counter of heavy instructions: they take far longer on a real machine than the single instruction that they count
// as here. The emulator counts them, not the kernel; the bench's documentation describes the counter's ports.
#ifndef DETENT_HEAVY_H
#define DETENT_HEAVY_H

#include <stdint.h>

#define HEAVY_CHARS 96

// What was executed from stamp `from` on and before stamp `to`: each kind with its number, without spaces; "not-counted" if
// nothing counts.
void heavy_read(uint32_t from, uint32_t to, char text[HEAVY_CHARS]);

#endif
