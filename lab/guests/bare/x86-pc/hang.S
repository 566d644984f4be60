/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A guest that arms the port and then stops the CPU for good. */
#include "bare.h"
#include "say.h"

handler:
    iret

main:
    port_arm
    say "hang guest: armed, halting for good\n"
    cli
1:  hlt
    jmp 1b
