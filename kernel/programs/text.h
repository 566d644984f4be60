// SPDX-License-Identifier: MIT OR Apache-2.0
// Reads words of a command line.
#ifndef DETENT_TEXT_H
#define DETENT_TEXT_H

#include <stdbool.h>
#include <stdint.h>

bool text_equal(const char *a, const char *b);
bool text_begins(const char *text, const char *prefix);
bool text_is(const char *text, const char *word, char end); // whether they are equal, up to text's end or to `end`
const char *text_after(const char *text, char separator);   // the text after the separator; NULL without one
bool text_number(const char *text, uint32_t *value);        // true if text is a decimal number below 2^32

#endif
