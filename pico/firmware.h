// SPDX-License-Identifier: MIT OR Apache-2.0
// The function that the start code (start.c) calls.
#ifndef PICO_FIRMWARE_H
#define PICO_FIRMWARE_H

// Sets up the chip and serves the host forever.
_Noreturn void firmware_run(void);

#endif
