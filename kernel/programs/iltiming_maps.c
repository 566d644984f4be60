// SPDX-License-Identifier: MIT OR Apache-2.0
// See iltiming_maps.h: for the image without processes. The image with processes has programs/processes/iltiming_maps.c.
#include "programs/iltiming_maps.h"

#include "detent.h"

bool iltiming_maps_start(void)
{
    NKDbgPrintfW(
        "iltiming: -i5 maps and frees 64 KiB, and this image has no VirtualAlloc; the one with processes has\n");
    return false;
}

bool iltiming_maps_stop(void)
{
    return true;
}
