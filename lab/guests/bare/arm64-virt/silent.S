/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A guest that reports its start and never arms the port. */
#include "bare.h"
#include "say.h"

    handler_begins
    eret

main:
    say "silent guest: running, never arming\n"
1:  add w2, w2, #1
    b 1b
