/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A guest that arms the port, prints that it panics, and resets the board. */
#include "bare.h"
#include "say.h"

    handler_begins
    mret

main:
    port_arm
    say "panic guest: panic: nothing to be done\n"
    store_word BOARD, BOARD_RESET
1:  j 1b
