/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A guest that arms the port and then halts the CPU for good, in a loop, because an interrupt ends each wait. */
#include "bare.h"
#include "say.h"

    handler_begins
    mret

main:
    port_arm
    say "hang guest: armed, halting for good\n"
    csrw mie, zero
1:  wfi
    j 1b
