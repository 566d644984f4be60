/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A guest that arms the port and then sends bytes on the channel for ever. */
#include "bare.h"

    handler_begins
    mret

main:
    port_arm
    li t1, CONNECTOR_PAGE + CONNECTOR_CHANNEL_PORT
1:  sb a0, 0(t1)
    addi a0, a0, 1
    j 1b
