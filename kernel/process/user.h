// SPDX-License-Identifier: MIT OR Apache-2.0
// What a system call reads and writes of its caller's memory: each is true only if all of it was there and might be, whatever
// another thread of the process does meanwhile. With the gate open.
#ifndef DETENT_PROCESS_USER_H
#define DETENT_PROCESS_USER_H

#include "process/layout.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool user_copy(void *to, const void *from, size_t bytes); // entry.S: no address is judged
bool user_touch(void *address);
uint32_t user_copy_text(char *to, const char *from, uint32_t room);

static inline bool user_holds(uint64_t address, uint64_t bytes)
{
    return address - USER_START <= USER_BYTES - bytes;
}

static inline bool user_read(void *to, uint64_t from, size_t bytes)
{
    return user_holds(from, bytes) && user_copy(to, (const void *)from, bytes);
}

// Of a number of that many bytes, at an address that they divide.
static inline bool user_can_take(uint64_t to, size_t bytes)
{
    return (to & (bytes - 1)) == 0 && user_holds(to, bytes) && user_touch((void *)to);
}

static inline bool user_write(uint64_t to, const void *from, size_t bytes)
{
    return user_holds(to, bytes) && user_copy((void *)to, from, bytes);
}

#endif
