// SPDX-License-Identifier: MIT OR Apache-2.0
#include "uf2.h"

#include <string.h>

#define MAGIC_START_0 0x0a324655u
#define MAGIC_START_1 0x9e5d5157u
#define MAGIC_END 0x0ab16f30u
#define FLAG_FAMILY 0x00002000u
#define FAMILY_RP2040 0xe48bff56u
#define PAYLOAD_AT 32u

static void uf2_put(uint8_t *to, uint32_t value)
{
    for (int byte = 0; byte < 4; byte++)
        to[byte] = (uint8_t)(value >> 8 * byte);
}

void uf2_block(uint8_t *block, uint32_t number, uint32_t count, uint32_t address, const uint8_t *payload, size_t length)
{
    const uint32_t head[] = {
        MAGIC_START_0, MAGIC_START_1, FLAG_FAMILY, address, UF2_PAYLOAD_BYTES, number, count, FAMILY_RP2040,
    };

    memset(block, 0, UF2_BLOCK_BYTES);
    for (size_t i = 0; i < sizeof head / sizeof head[0]; i++)
        uf2_put(block + 4 * i, head[i]);
    memcpy(block + PAYLOAD_AT, payload, length);
    uf2_put(block + UF2_BLOCK_BYTES - 4, MAGIC_END);
}
