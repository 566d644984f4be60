// SPDX-License-Identifier: MIT OR Apache-2.0
// Blocks of the UF2 format (github.com/microsoft/uf2), in the form that the RP2040's boot ROM accepts on its drive.
#ifndef IMAGE_UF2_H
#define IMAGE_UF2_H

#include <stddef.h>
#include <stdint.h>

#define UF2_BLOCK_BYTES 512u
#define UF2_PAYLOAD_BYTES 256u

// Block `number` of `count`: up to UF2_PAYLOAD_BYTES of an image for flash at `address`. The rest is zero.
void uf2_block(uint8_t *block, uint32_t number, uint32_t count, uint32_t address, const uint8_t *payload,
               size_t length);

#endif
