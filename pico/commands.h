// SPDX-License-Identifier: MIT OR Apache-2.0
// Commands in lines of text, as described in wire/PICO.md.
#ifndef PICO_COMMANDS_H
#define PICO_COMMANDS_H

#include <stdint.h>

// Takes one byte of a line. At the line's end, executes the command and answers it.
void commands_take(uint8_t byte);

// Drops an incomplete line.
void commands_reset(void);

#endif
