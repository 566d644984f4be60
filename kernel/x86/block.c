// SPDX-License-Identifier: MIT OR Apache-2.0
// memcpy and memset: compilers call them for blocks of memory even in a program without a C library.
#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t count);
void *memset(void *to, int value, size_t count);

// A single instruction, because a compiler would turn a loop into a call of this function itself.
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
