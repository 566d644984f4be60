/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A guest that arms the port and then writes to its console for ever. */
#include "bare.h"
#include "say.h"

    handler_begins
    mret

main:
    port_arm
1:  say "chatter guest: and so on\n"
    j 1b
