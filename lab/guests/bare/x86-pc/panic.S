/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A guest that arms the port, prints that it panics, and resets the machine by a triple fault. */
#include "bare.h"
#include "say.h"

handler:
    iret

main:
    port_arm
    say "panic guest: panic: nothing to be done\n"
    lidt nothing
    int $3

nothing:
    .word 0
    .long 0
