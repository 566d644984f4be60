// SPDX-License-Identifier: MIT OR Apache-2.0
// Settings on the loader's command line.
#ifndef DETENT_SETTINGS_H
#define DETENT_SETTINGS_H

#include <stdint.h>

extern uint32_t
    settings_trail; // number of trail entries to print at the end; 0: keeps no trail. "trail=1", "trail=all"

// Applies the settings at the beginning of the words and returns their number. An invalid setting stops the machine
// with one line that says what is wrong.
int settings_apply(int count, char **words);

#endif
