// SPDX-License-Identifier: MIT OR Apache-2.0
// What the probe and the bench use of the C library, for an image that has none. C11, 7.24 and 7.21.6.
#include "detent.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LINE_BYTES 512 // printf cuts what is longer

// One instruction: a compiler would turn a loop into a call of the function that it stands in.
void *memcpy(void *restrict to, const void *restrict from, size_t count)
{
    void *at = to;

    __asm__ volatile("rep movsb" : "+D"(at), "+S"(from), "+c"(count) : : "memory");
    return to;
}

void *memset(void *to, int value, size_t count)
{
    void *at = to;

    __asm__ volatile("rep stosb" : "+D"(at), "+c"(count) : "a"(value) : "memory");
    return to;
}

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

struct print {
    char *text;
    size_t room;   // with the final zero
    size_t length; // of the whole, also beyond the room
};

static void print_char(struct print *print, char c)
{
    if (print->length + 1 < print->room)
        print->text[print->length] = c;
    print->length++;
}

static void print_text(struct print *print, const char *text)
{
    for (; *text; text++)
        print_char(print, *text);
}

static void print_number(struct print *print, unsigned long long value)
{
    char digits[21];
    char *digit = digits + sizeof digits - 1;

    *digit = '\0';
    do
        *--digit = (char)('0' + value % 10);
    while (value /= 10);
    print_text(print, digit);
}

// %s and %llu: all that the probe has.
static int print_all(struct print *print, const char *format, va_list arguments)
{
    for (; *format; format++) {
        if (strncmp(format, "%s", 2) == 0) {
            print_text(print, va_arg(arguments, const char *));
            format += 1;
        } else if (strncmp(format, "%llu", 4) == 0) {
            print_number(print, va_arg(arguments, unsigned long long));
            format += 3;
        } else {
            print_char(print, *format);
        }
    }
    if (print->room > 0)
        print->text[print->length < print->room ? print->length : print->room - 1] = '\0';
    return (int)print->length;
}

int snprintf(char *restrict text, size_t room, const char *restrict format, ...)
{
    struct print print = {text, room, 0};
    va_list arguments;

    va_start(arguments, format);
    int length = print_all(&print, format, arguments);

    va_end(arguments);
    return length;
}

int printf(const char *restrict format, ...)
{
    char line[LINE_BYTES];
    struct print print = {line, sizeof line, 0};
    va_list arguments;

    va_start(arguments, format);
    int length = print_all(&print, format, arguments);

    va_end(arguments);
    NKDbgPrintfW("%s", line);
    return length;
}
