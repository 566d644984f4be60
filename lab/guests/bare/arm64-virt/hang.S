/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A guest that arms the port and then halts the CPU for good, in a loop, because an interrupt ends each wait. */
#include "bare.h"
#include "say.h"

    handler_begins
    eret

main:
    port_arm
    say "hang guest: armed, halting for good\n"
    msr GROUP_1_ON, xzr
1:  wfi
    b 1b
