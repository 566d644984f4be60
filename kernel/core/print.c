// SPDX-License-Identifier: MIT OR Apache-2.0
// Debug output: the few formats that the kernel and its programs use, straight to the console.
#include <stdarg.h>

#include "port.h"

#define DIGITS_MAX 20

static void put_padding(char fill, int width)
{
    while (width-- > 0)
        console_put(fill);
}

static void put_number(uint64_t value, unsigned base, bool negative, char fill, int width)
{
    char digits[DIGITS_MAX];
    int length = 0;
    do {
        digits[length++] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value != 0);
    if (negative && fill == '0')
        console_put('-');
    put_padding(fill, width - length - negative);
    if (negative && fill != '0')
        console_put('-');
    while (length > 0)
        console_put(digits[--length]);
}

static void put_text(const char *text, int width)
{
    int length = 0;
    for (; text[length] != '\0'; length++)
        console_put(text[length]);
    put_padding(' ', width - length);
}

static void put_signed(int64_t value, char fill, int width)
{
    put_number(value < 0 ? -(uint64_t)value : (uint64_t)value, 10, value < 0, fill, width);
}

// A string is padded on its right, a number on its left.
void NKDbgPrintfW(LPCTSTR format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    for (const char *f = format; *f != '\0'; f++) {
        if (*f != '%') {
            console_put(*f);
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
            put_signed(is_long ? va_arg(arguments, int64_t) : va_arg(arguments, int32_t), fill, width);
        else if (*f == 'u' || *f == 'x')
            put_number(is_long ? va_arg(arguments, uint64_t) : va_arg(arguments, uint32_t), *f == 'x' ? 16 : 10, false,
                       fill, width);
        else if (*f == 's')
            put_text(va_arg(arguments, const char *), width);
        else if (*f == 'p')
            put_number(va_arg(arguments, uintptr_t), 16, false, '0', 16);
        else if (*f == 'c')
            console_put((char)va_arg(arguments, int));
        else
            console_put(*f);
        if (*f == '\0')
            break;
    }
    va_end(arguments);
}
