// SPDX-License-Identifier: MIT OR Apache-2.0
// What the start of the processor calls.
#ifndef PICO_FIRMWARE_H
#define PICO_FIRMWARE_H

// Sets the chip up and serves the host for ever.
_Noreturn void firmware_run(void);

#endif
