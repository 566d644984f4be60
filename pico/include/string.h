// SPDX-License-Identifier: MIT OR Apache-2.0
// Declares the functions of memory.c, because the firmware has no C library.
#ifndef PICO_STRING_H
#define PICO_STRING_H

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t bytes);
void *memset(void *to, int value, size_t bytes);
size_t strlen(const char *text);
int strncmp(const char *a, const char *b, size_t length);

#endif
