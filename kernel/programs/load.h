// SPDX-License-Identifier: MIT OR Apache-2.0
// Loads that a test may run beside itself: "load=NAME" or "load=NAME@PRIORITY" among its arguments.
#ifndef DETENT_LOAD_H
#define DETENT_LOAD_H

#include "detent.h"

#define LOAD_PRIORITY 251

// Starts the loads that the arguments name. False, with one line printed, when one is not known.
bool load_start(int count, char **arguments);

DWORD polygons_main(LPVOID screen); // NULL: to memory
DWORD calls_main(LPVOID unused);    // every call of the kernel in turn

#endif
