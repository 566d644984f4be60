// SPDX-License-Identifier: MIT OR Apache-2.0
// image BOOT2 FIRMWARE OUT: writes one UF2 file with the second stage of the boot, its checksum, and the firmware.
#include "boot_check.h"
#include "uf2.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define FLASH_AT 0x10000000u
#define FLASH_BYTES (2u << 20) // of a Raspberry Pi Pico
#define BOOT_BYTES 256u

static uint8_t image[FLASH_BYTES];

static int image_fail(const char *path, const char *why)
{
    fprintf(stderr, "image: %s: %s\n", path, why);
    return 1;
}

// Reads a file of at most `room` bytes and sets its length.
static bool image_read(const char *path, uint8_t *to, size_t room, size_t *length)
{
    FILE *file = fopen(path, "rb");
    bool whole;

    if (!file)
        return false;
    *length = fread(to, 1, room, file);
    whole = !ferror(file) && fgetc(file) == EOF;
    fclose(file);
    return whole;
}

static void image_seal_boot(void)
{
    uint32_t check = boot_check(image, BOOT_CHECK_BYTES);

    for (int byte = 0; byte < 4; byte++)
        image[BOOT_CHECK_BYTES + byte] = (uint8_t)(check >> 8 * byte);
}

static bool image_write(const char *path, size_t length)
{
    uint32_t count = (uint32_t)((length + UF2_PAYLOAD_BYTES - 1) / UF2_PAYLOAD_BYTES);
    FILE *file = fopen(path, "wb");
    bool good = file;

    for (uint32_t number = 0; good && number < count; number++) {
        size_t from = (size_t)number * UF2_PAYLOAD_BYTES;
        uint8_t block[UF2_BLOCK_BYTES];

        uf2_block(block, number, count, FLASH_AT + (uint32_t)from, image + from, UF2_PAYLOAD_BYTES);
        good = fwrite(block, sizeof block, 1, file) == 1;
    }
    return file && fclose(file) == 0 && good;
}

int main(int count, char **words)
{
    size_t boot_length;
    size_t length;

    if (count != 4)
        return image_fail("usage", "image BOOT2 FIRMWARE OUT");
    if (!image_read(words[1], image, BOOT_CHECK_BYTES, &boot_length))
        return image_fail(words[1], "cannot be read, or is longer than 252 bytes");
    if (!image_read(words[2], image + BOOT_BYTES, FLASH_BYTES - BOOT_BYTES, &length))
        return image_fail(words[2], "cannot be read, or is longer than the flash");
    image_seal_boot();
    if (!image_write(words[3], BOOT_BYTES + length))
        return image_fail(words[3], "cannot be written");
    return 0;
}
