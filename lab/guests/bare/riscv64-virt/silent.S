/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A guest that reports its start and never arms the port. */
#include "bare.h"
#include "say.h"

    handler_begins
    mret

main:
    say "silent guest: running, never arming\n"
1:  addi t2, t2, 1
    j 1b
