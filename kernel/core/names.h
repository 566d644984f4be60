// SPDX-License-Identifier: MIT OR Apache-2.0
// Compares and measures the names of profiles and objects.
#ifndef DETENT_NAMES_H
#define DETENT_NAMES_H

#include <stdbool.h>

bool names_equal(const char *a, const char *b); // names longer than NAME_CHARS_MAX are never equal

#endif
