// SPDX-License-Identifier: MIT OR Apache-2.0
// Reads and writes the memory of a system call's caller. Each function returns true only if all of that memory was mapped and
// permitted, whatever another thread of the process does meanwhile. To be called with the gate open.
#ifndef DETENT_PROCESS_USER_H
#define DETENT_PROCESS_USER_H

#include "process/layout.h"
#include "process_inline.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Defined in entry.S. These functions do not check addresses. user_copy_in and user_copy_out are in the machine's
// process_inline.h.
bool user_touch(void *address);
// Atomic: replaces the expected value by `value`. *expected becomes the old value.
bool user_compare_exchange(uint32_t *address, uint32_t *expected, uint32_t value);
uint32_t user_copy_text(char *to, const char *from, uint32_t room);

static inline bool user_holds(uint64_t address, uint64_t bytes)
{
    return address - USER_START <= USER_BYTES - bytes;
}

bool user_read(void *to, uint64_t from, size_t bytes);
bool user_write(uint64_t to, const void *from, size_t bytes);
bool user_can_take(uint64_t to, size_t bytes); // whether the bytes can be written; `to` is a multiple of `bytes`
bool user_exchange(uint64_t at, uint32_t *expected, uint32_t value); // `at` must be a multiple of 4

#endif
