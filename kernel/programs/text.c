// SPDX-License-Identifier: MIT OR Apache-2.0
// See text.h.
#include "programs/text.h"

#include <stddef.h>

bool text_equal(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b)
        a++, b++;
    return *a == *b;
}

bool text_begins(const char *text, const char *prefix)
{
    while (*prefix != '\0' && *text == *prefix)
        text++, prefix++;
    return *prefix == '\0';
}

bool text_is(const char *text, const char *word, char end)
{
    while (*word != '\0' && *text == *word)
        text++, word++;
    return *word == '\0' && (*text == '\0' || *text == end);
}

const char *text_after(const char *text, char separator)
{
    while (*text != '\0' && *text != separator)
        text++;
    return *text == separator ? text + 1 : NULL;
}

bool text_number(const char *text, uint32_t *value)
{
    uint64_t number = 0;
    const char *digit = text;
    for (; *digit >= '0' && *digit <= '9' && number <= UINT32_MAX; digit++)
        number = number * 10 + (uint64_t)(*digit - '0');
    *value = (uint32_t)number;
    return digit != text && *digit == '\0' && number <= UINT32_MAX;
}
