// SPDX-License-Identifier: MIT OR Apache-2.0
// ILTiming's idle thread 5, which maps and frees 64 KiB. It is a process, because only processes have VirtualAlloc.
#ifndef DETENT_ILTIMING_MAPS_H
#define DETENT_ILTIMING_MAPS_H

#include <stdbool.h>

bool iltiming_maps_start(void); // if the image has no processes, prints the reason and returns false
bool iltiming_maps_stop(void);  // if the process had already ended, prints a line and returns false

#endif
