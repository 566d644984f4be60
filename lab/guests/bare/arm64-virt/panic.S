/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A guest that arms the port, prints that it panics, and resets the machine through the firmware (Arm PSCI, SYSTEM_RESET). */
#include "bare.h"
#include "say.h"

#define SYSTEM_RESET 0x84000009

    handler_begins
    eret

main:
    port_arm
    say "panic guest: panic: nothing to be done\n"
    address x0, SYSTEM_RESET
    hvc #0
1:  b 1b
