// SPDX-License-Identifier: MIT OR Apache-2.0
// The analyzer that sigrok's driver `ols` knows (SUMP, as extended by the Open Bench Logic Sniffer).
#ifndef PICO_SUMP_H
#define PICO_SUMP_H

#include <stdbool.h>
#include <stdint.h>

// Bytes from here on begin a command of five bytes; bytes below 0x20 are single-byte commands; text is in between.
#define SUMP_LONG 0x80u
#define SUMP_LONG_BYTES 5u

void sump_short(uint8_t command);
// `value` follows the command in little-endian order.
void sump_long(uint8_t command, uint32_t value);

// Continues an armed capture; called repeatedly.
void sump_step(void);

void sump_reset(void);

#endif
