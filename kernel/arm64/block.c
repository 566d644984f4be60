// SPDX-License-Identifier: MIT OR Apache-2.0
// memcpy and memset: compilers call them for blocks of memory even in a program without a C library.
#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t count);
void *memset(void *to, int value, size_t count);

// Copies words, then bytes. It is assembly, because a compiler would turn a loop into a call of this function itself.
void *memcpy(void *restrict to, const void *restrict from, size_t count)
{
    void *at = to;
    __asm__ volatile("b 2f\n"
                     "1:\tldr x3, [%1], #8\n\t"
                     "str x3, [%0], #8\n"
                     "2:\tsubs %2, %2, #8\n\t"
                     "b.hs 1b\n\t"
                     "adds %2, %2, #8\n\t"
                     "b.eq 4f\n"
                     "3:\tldrb w3, [%1], #1\n\t"
                     "strb w3, [%0], #1\n\t"
                     "subs %2, %2, #1\n\t"
                     "b.ne 3b\n"
                     "4:"
                     : "+r"(at), "+r"(from), "+r"(count)
                     :
                     : "x3", "cc", "memory");
    return to;
}

void *memset(void *to, int value, size_t count)
{
    void *at = to;
    unsigned long word = (value & 0xFF) * 0x0101010101010101ul;
    __asm__ volatile("b 2f\n"
                     "1:\tstr %2, [%0], #8\n"
                     "2:\tsubs %1, %1, #8\n\t"
                     "b.hs 1b\n\t"
                     "adds %1, %1, #8\n\t"
                     "b.eq 4f\n"
                     "3:\tstrb %w2, [%0], #1\n\t"
                     "subs %1, %1, #1\n\t"
                     "b.ne 3b\n"
                     "4:"
                     : "+r"(at), "+r"(count)
                     : "r"(word)
                     : "cc", "memory");
    return to;
}
