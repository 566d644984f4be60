/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A guest that arms the port and then sends bytes on the channel for ever. */
#include "bare.h"

    handler_begins
    eret

main:
    port_arm
    address x1, CONNECTOR_PAGE + CONNECTOR_CHANNEL_PORT
1:  strb w0, [x1]
    add w0, w0, #1
    b 1b
