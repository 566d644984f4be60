// SPDX-License-Identifier: MIT OR Apache-2.0
// Commands in lines of text, as wire/PICO.md has them.
#ifndef PICO_COMMANDS_H
#define PICO_COMMANDS_H

#include <stdint.h>

// Takes a byte of a line; at its end the command is done and answered.
void commands_take(uint8_t byte);

// Forgets a line that was begun.
void commands_reset(void);

#endif
