// SPDX-License-Identifier: MIT OR Apache-2.0
#include "boot_check.h"

#define POLYNOMIAL 0x04c11db7u

static uint32_t boot_check_step(uint32_t check, uint8_t byte)
{
    check ^= (uint32_t)byte << 24;
    for (int bit = 0; bit < 8; bit++)
        check = check & 0x80000000u ? check << 1 ^ POLYNOMIAL : check << 1;
    return check;
}

uint32_t boot_check(const uint8_t *bytes, size_t length)
{
    uint32_t check = 0xffffffffu;

    for (size_t i = 0; i < length; i++)
        check = boot_check_step(check, bytes[i]);
    return check;
}
