// SPDX-License-Identifier: MIT OR Apache-2.0
// Names, of profiles and of objects.
#ifndef DETENT_NAMES_H
#define DETENT_NAMES_H

#include <stdbool.h>

bool names_equal(const char *a, const char *b); // NAME_CHARS_MAX at most are compared; longer ones are not equal

#endif
