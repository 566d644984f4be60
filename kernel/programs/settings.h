// SPDX-License-Identifier: MIT OR Apache-2.0
// Settings on the loader's command line.
#ifndef DETENT_SETTINGS_H
#define DETENT_SETTINGS_H

#include <stdbool.h>

extern bool settings_trail; // "trail=1": keep the trail, print its end

// Applies the settings that the words begin with; returns how many there are. A wrong one ends the machine
// with one line that says what is wrong.
int settings_apply(int count, char **words);

#endif
