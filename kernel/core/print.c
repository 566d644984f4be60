// SPDX-License-Identifier: MIT OR Apache-2.0
// Formats text for the console or into memory, with the few conversions that the kernel and its programs use.
#include <stdarg.h>

#include "port.h"

#define DIGITS_MAX 20

// Where characters go: into `text`, as many as fit into `room`; or to the console if `text` is NULL.
struct output {
    char *text;
    size_t room;   // room in `text`, with the final zero
    size_t length; // length of the text, including characters that did not fit
};

static void put(struct output *to, char c)
{
    if (to->text == NULL)
        console_put(c);
    else if (to->length + 1 < to->room)
        to->text[to->length] = c;
    to->length++;
}

static void put_padding(struct output *to, char fill, int width)
{
    while (width-- > 0)
        put(to, fill);
}

static void put_number(struct output *to, uint64_t value, unsigned base, bool negative, char fill, int width)
{
    char digits[DIGITS_MAX];
    int length = 0;
    do {
        digits[length++] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value != 0);
    if (negative && fill == '0')
        put(to, '-');
    put_padding(to, fill, width - length - negative);
    if (negative && fill != '0')
        put(to, '-');
    while (length > 0)
        put(to, digits[--length]);
}

static void put_text(struct output *to, const char *text, int width)
{
    int length = 0;
    for (; text[length] != '\0'; length++)
        put(to, text[length]);
    put_padding(to, ' ', width - length);
}

static void put_signed(struct output *to, int64_t value, char fill, int width)
{
    put_number(to, value < 0 ? -(uint64_t)value : (uint64_t)value, 10, value < 0, fill, width);
}

// Pads a string on the right, a number on the left.
static void put_all(struct output *to, LPCTSTR format, va_list arguments)
{
    for (const char *f = format; *f != '\0'; f++) {
        if (*f != '%') {
            put(to, *f);
            continue;
        }
        char fill = ' ';
        int width = 0;
        bool is_long = false;
        if (*++f == '0')
            fill = '0';
        for (; *f >= '0' && *f <= '9'; f++)
            width = width * 10 + *f - '0';
        for (; *f == 'l'; f++)
            is_long = true;
        if (*f == 'd')
            put_signed(to, is_long ? va_arg(arguments, int64_t) : va_arg(arguments, int32_t), fill, width);
        else if (*f == 'u' || *f == 'x')
            put_number(to, is_long ? va_arg(arguments, uint64_t) : va_arg(arguments, uint32_t), *f == 'x' ? 16 : 10,
                       false, fill, width);
        else if (*f == 's')
            put_text(to, va_arg(arguments, const char *), width);
        else if (*f == 'p')
            put_number(to, va_arg(arguments, uintptr_t), 16, false, '0', 16);
        else if (*f == 'c')
            put(to, (char)va_arg(arguments, int));
        else
            put(to, *f);
        if (*f == '\0')
            break;
    }
}

void NKDbgPrintfW(LPCTSTR format, ...)
{
    struct output console = {NULL, 0, 0};
    va_list arguments;
    va_start(arguments, format);
    put_all(&console, format, arguments);
    va_end(arguments);
}

int NKwvsprintfW(LPTSTR text, LPCTSTR format, va_list arguments, int room)
{
    struct output to = {text, (size_t)room, 0};
    put_all(&to, format, arguments);
    if (room > 0)
        text[to.length < to.room ? to.length : to.room - 1] = '\0';
    return (int)to.length;
}
