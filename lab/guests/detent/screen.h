// SPDX-License-Identifier: MIT OR Apache-2.0
// The VGA as a console of 80 columns and 25 rows.
#ifndef DETENT_GUEST_SCREEN_H
#define DETENT_GUEST_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

// Clears it; the mode is the one that the firmware left.
void screen_start(void);
// Shows characters where the cursor is and puts the cursor behind them: \r to the first column, \n to the next row.
void screen_put(const char *text, size_t length);
// Whether the row of the cursor begins with this text, read from the screen's own memory.
bool screen_begins(const char *text, size_t length);

#endif
