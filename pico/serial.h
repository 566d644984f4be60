// SPDX-License-Identifier: MIT OR Apache-2.0
// Bytes from and to the host.
#ifndef PICO_SERIAL_H
#define PICO_SERIAL_H

#include <stdbool.h>
#include <stdint.h>

// The next byte from the host, if there is one.
bool serial_read(uint8_t *byte);

// Begins an answer. What follows is for the current host and for no later one.
void serial_begin(void);
// Waits until the host takes it; gives up when that host disconnects.
void serial_write(const void *bytes, uint32_t length);
// The answer is whole.
void serial_end(void);

#endif
