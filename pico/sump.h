// SPDX-License-Identifier: MIT OR Apache-2.0
// The analyzer, with the protocol of sigrok's driver `ols` (SUMP, as extended by the Open Bench Logic Sniffer).
#ifndef PICO_SUMP_H
#define PICO_SUMP_H

#include <stdbool.h>
#include <stdint.h>

// Bytes from here on begin a command of five bytes. Bytes below 0x20 are commands of one byte, and those in between begin text.
#define SUMP_LONG 0x80u
#define SUMP_LONG_BYTES 5u

void sump_short(uint8_t command);
// `value` follows the command in little-endian order.
void sump_long(uint8_t command, uint32_t value);

// Continues an armed capture; called repeatedly.
void sump_step(void);

void sump_reset(void);

#endif
