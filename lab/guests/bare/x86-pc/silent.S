/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A guest that reports its start and never arms the port. */
#include "bare.h"
#include "say.h"

handler:
    iret

main:
    say "silent guest: running, never arming\n"
1:  inc %ecx
    jmp 1b
