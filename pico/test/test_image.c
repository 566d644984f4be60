// SPDX-License-Identifier: MIT OR Apache-2.0
// Tests the checksum of the boot's second stage, and the blocks of a UF2 file, byte by byte.
#include "../../probe/test/check.h"

#include "../image/boot_check.h"
#include "../image/uf2.h"

#include <string.h>

// CRC-32/MPEG-2 of the nine digits "123456789", from the catalogue of parametrised CRC algorithms.
static void the_check_is_the_one_that_catalogues_call_mpeg_2(void)
{
    CHECK(boot_check((const uint8_t *)"123456789", 9) == 0x0376e6e7u);
    CHECK(boot_check(NULL, 0) == 0xffffffffu);
}

// A property of every such code: bytes followed by their checksum, highest byte first, have the checksum 0.
static void bytes_with_their_check_behind_them_have_the_check_0(void)
{
    unsigned long long state = 14;

    for (size_t length = 0; length <= BOOT_CHECK_BYTES; length++) {
        uint8_t bytes[BOOT_CHECK_BYTES + 4];
        uint32_t check;

        for (size_t i = 0; i < length; i++)
            bytes[i] = (uint8_t)check_random(&state);
        check = boot_check(bytes, length);
        for (int byte = 0; byte < 4; byte++)
            bytes[length + byte] = (uint8_t)(check >> (24 - 8 * byte));
        CHECK(boot_check(bytes, length + 4) == 0);
    }
}

static void a_changed_bit_changes_the_check(void)
{
    uint8_t bytes[BOOT_CHECK_BYTES] = {0};
    uint32_t whole = boot_check(bytes, sizeof bytes);

    for (size_t bit = 0; bit < 8 * sizeof bytes; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        CHECK(boot_check(bytes, sizeof bytes) != whole);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}

static uint32_t word(const uint8_t *block, size_t at)
{
    return block[at] | block[at + 1] << 8 | block[at + 2] << 16 | (uint32_t)block[at + 3] << 24;
}

static void a_block_holds_its_payload_between_the_marks_of_the_format(void)
{
    const uint8_t payload[3] = {1, 2, 3};
    uint8_t block[UF2_BLOCK_BYTES];

    memset(block, 0xee, sizeof block);
    uf2_block(block, 5, 9, 0x10000500u, payload, sizeof payload);
    CHECK(memcmp(block, "UF2\nWQ]\x9e", 8) == 0);
    CHECK(word(block, 8) == 0x2000 && word(block, 12) == 0x10000500u && word(block, 16) == 256);
    CHECK(word(block, 20) == 5 && word(block, 24) == 9 && word(block, 28) == 0xe48bff56u);
    CHECK(memcmp(block + 32, payload, sizeof payload) == 0);
    for (size_t i = 32 + sizeof payload; i < 508; i++)
        CHECK(block[i] == 0);
    CHECK(word(block, 508) == 0x0ab16f30u);
}

int main(void)
{
    TEST(the_check_is_the_one_that_catalogues_call_mpeg_2);
    TEST(bytes_with_their_check_behind_them_have_the_check_0);
    TEST(a_changed_bit_changes_the_check);
    TEST(a_block_holds_its_payload_between_the_marks_of_the_format);
    return 0;
}
