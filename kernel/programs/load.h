// SPDX-License-Identifier: MIT OR Apache-2.0
// Loads that run next to a test: "load=NAME" or "load=NAME@PRIORITY" among its arguments.
#ifndef DETENT_LOAD_H
#define DETENT_LOAD_H

#include "detent.h"

#define LOAD_PRIORITY 251

// Prepares the loads that the arguments name. If a load is unknown, prints one line and returns false.
bool loads_create(int count, char **arguments);
void loads_start(void); // call it last: a load of priority 0 lets no lower thread run

DWORD polygons_main(LPVOID screen); // NULL: draws to memory
DWORD calls_main(LPVOID unused);    // makes every call of the kernel in turn

#endif
