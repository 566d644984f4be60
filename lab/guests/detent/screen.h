// SPDX-License-Identifier: MIT OR Apache-2.0
// The VGA as a console of 80 columns and 25 rows.
#ifndef DETENT_GUEST_SCREEN_H
#define DETENT_GUEST_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

// Clears the screen, which stays in the mode that the firmware has set.
void screen_start(void);
// Prints characters at the cursor and moves it after them: \r goes to the first column, \n to the next row.
void screen_put(const char *text, size_t length);
// Whether the row of the cursor begins with this text, read from the screen's memory.
bool screen_begins(const char *text, size_t length);

#endif
