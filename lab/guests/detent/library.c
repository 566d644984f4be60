// SPDX-License-Identifier: MIT OR Apache-2.0
// The functions of the C library that the probe and the bench use, for an image without one. The kernel has memcpy and memset.
// C11, 7.24 and 7.21.6.
#include "detent.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LINE_BYTES 512 // printf cuts longer lines

size_t strlen(const char *text)
{
    const volatile char *end = text;

    while (*end)
        end++;
    return (size_t)(end - text);
}

int strncmp(const char *a, const char *b, size_t count)
{
    for (; count > 0; a++, b++, count--) {
        if (*a != *b || *a == '\0')
            return (unsigned char)*a - (unsigned char)*b;
    }
    return 0;
}

int strcmp(const char *a, const char *b)
{
    return strncmp(a, b, SIZE_MAX);
}

char *strchr(const char *text, int wanted)
{
    for (; *text != (char)wanted; text++) {
        if (*text == '\0')
            return NULL;
    }
    return (char *)text;
}

// The kernel's formats lack some standard ones, which the probe does not use.
int snprintf(char *restrict text, size_t room, const char *restrict format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    int length = NKwvsprintfW(text, format, arguments, (int)room);

    va_end(arguments);
    return length;
}

int printf(const char *restrict format, ...)
{
    char line[LINE_BYTES];
    va_list arguments;

    va_start(arguments, format);
    int length = NKwvsprintfW(line, format, arguments, sizeof line);

    va_end(arguments);
    NKDbgPrintfW("%s", line);
    return length;
}
