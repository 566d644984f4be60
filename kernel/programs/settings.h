// SPDX-License-Identifier: MIT OR Apache-2.0
// Settings on the loader's command line.
#ifndef DETENT_SETTINGS_H
#define DETENT_SETTINGS_H

#include <stdint.h>

extern uint32_t
    settings_trail; // keep the trail, and print so many entries at the end; 0: do not. "trail=1", "trail=all"

// Applies the settings at the beginning of the words and returns their number. An invalid one stops the machine with one line
// that says what is wrong.
int settings_apply(int count, char **words);

#endif
