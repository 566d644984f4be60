// SPDX-License-Identifier: MIT OR Apache-2.0
// The checksum of the first 256 bytes of a flash, which the RP2040's boot ROM checks.
#ifndef IMAGE_BOOT_CHECK_H
#define IMAGE_BOOT_CHECK_H

#include <stddef.h>
#include <stdint.h>

// Number of code bytes in the second boot stage. The four bytes after them are a checksum over all of them.
#define BOOT_CHECK_BYTES 252u

// CRC-32 with polynomial 04C11DB7 and first value FFFFFFFF, neither reflected nor inverted (RP2040 datasheet 2.8.1.3.1).
uint32_t boot_check(const uint8_t *bytes, size_t length);

#endif
