// SPDX-License-Identifier: MIT OR Apache-2.0
// Bytes from and to the host.
#ifndef PICO_SERIAL_H
#define PICO_SERIAL_H

#include <stdbool.h>
#include <stdint.h>

// The next byte of the host, if there is one.
bool serial_read(uint8_t *byte);

// An answer begins: what follows is for the host that is there now, and for no later one.
void serial_begin(void);
// Waits until the host takes it; gives up when that host is gone.
void serial_write(const void *bytes, uint32_t length);
// The answer is whole.
void serial_end(void);

#endif
