// SPDX-License-Identifier: MIT OR Apache-2.0
// Reads bytes from the host and writes answers.
#ifndef PICO_SERIAL_H
#define PICO_SERIAL_H

#include <stdbool.h>
#include <stdint.h>

// The next byte from the host, if there is one.
bool serial_read(uint8_t *byte);

// Begins an answer, which goes only to the current host, not to a later one.
void serial_begin(void);
// Waits until the host takes the bytes; gives up when that host disconnects.
void serial_write(const void *bytes, uint32_t length);
// Ends the answer.
void serial_end(void);

#endif
