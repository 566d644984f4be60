/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stops the machine at the instant trail-from, before it executes the next instruction; then a debugger can connect. */
#ifndef PAUSE_H
#define PAUSE_H

#include <stdbool.h>

#include "options.h"

/* If this emulator cannot serve a debugger, prints one line on standard error and returns false. */
bool pause_find(void);

/* Sets the timer for the instant. The machine must be complete. */
void pause_start(const struct options *options);

#endif
