/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machine stands at the instant trail-from, before what follows it is executed, and a debugger can come. */
#ifndef PAUSE_H
#define PAUSE_H

#include <stdbool.h>

#include "options.h"

/* False, with one line on standard error, where this emulator serves no debugger. */
bool pause_find(void);

/* Arms the instant. The machine must be complete. */
void pause_start(const struct options *options);

#endif
