// SPDX-License-Identifier: MIT OR Apache-2.0
// The sieve of Eratosthenes.
#include "sieve.h"

#include <stdio.h>
#include <string.h>

#define LINE_EVERY 100 // one message in this many ends its line; the next message overwrites any other

static void message_tell(uint64_t found, uint64_t number, void (*tell)(const char *text, size_t length))
{
    char text[SIEVE_MESSAGE_CHARS + 1];

    snprintf(text, sizeof text, "%9llu up to %8llu%c", (unsigned long long)found, (unsigned long long)number,
             found / SIEVE_MESSAGE_EVERY % LINE_EVERY == 0 ? '\n' : '\r');
    tell(text, SIEVE_MESSAGE_CHARS);
}

uint64_t sieve_run(uint8_t *composite, uint64_t limit, void (*tell)(const char *text, size_t length))
{
    uint64_t found = 0;

    memset(composite, 0, limit + 1);
    for (uint64_t number = 2; number <= limit; number++) {
        if (composite[number])
            continue;
        if (++found % SIEVE_MESSAGE_EVERY == 0)
            message_tell(found, number, tell);
        for (uint64_t multiple = number * number; multiple <= limit; multiple += number)
            composite[multiple] = 1;
    }
    return found;
}
