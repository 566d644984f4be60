// SPDX-License-Identifier: MIT OR Apache-2.0
// The second stage of the boot: the first 252 bytes of the flash. The chip's own first stage checks them, copies them to memory
// and calls them.
//
// It sets up the flash to be read in place with command 03h, which every serial flash supports (datasheet 2.8.1, 4.10). Then it
// starts the firmware, which follows in the flash. It runs at any address.
#include "chip.h"

#define SSI_DIVISOR 4u                // divisor of the system clock: 25 MHz, slow enough for command 03h of any flash
#define SSI_WORDS (31u << 16)         // frames of 32 bits
#define SSI_READ (3u << 8)            // send a command, receive data
#define SSI_COMMAND_03 (0x03u << 24)  // command sent before every access
#define SSI_COMMAND_8_BITS (2u << 8)  // length of the command
#define SSI_ADDRESS_24_BITS (6u << 2) // in units of 4 bits

__attribute__((noreturn, section(".boot2"))) void boot2_main(void)
{
    REGISTER(SSI_ENABLE) = 0;
    REGISTER(SSI_BAUD) = SSI_DIVISOR;
    REGISTER(SSI_CTRLR0) = SSI_WORDS | SSI_READ;
    REGISTER(SSI_SPI_CTRLR0) = SSI_COMMAND_03 | SSI_COMMAND_8_BITS | SSI_ADDRESS_24_BITS;
    REGISTER(SSI_CTRLR1) = 0; // one frame for each access
    REGISTER(SSI_ENABLE) = 1;
    REGISTER(VECTOR_TABLE) = FLASH_FIRMWARE;
    __asm__ volatile("msr msp, %0\n bx %1" : : "r"(REGISTER(FLASH_FIRMWARE)), "r"(REGISTER(FLASH_FIRMWARE + 4)));
    __builtin_unreachable();
}
