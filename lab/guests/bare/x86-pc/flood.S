/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A guest that arms the port and then sends bytes on the channel for ever. */
#include "bare.h"

handler:
    iret

main:
    port_arm
    mov $CONNECTOR_CHANNEL_PORT, %dx
1:  out %al, %dx
    inc %al
    jmp 1b
