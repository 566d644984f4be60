// SPDX-License-Identifier: MIT OR Apache-2.0
// linux_memory.h — what is locked in memory, and what goes on unlocked where the limit is reached.
#ifndef BACKWALL_PORT_LINUX_MEMORY_H
#define BACKWALL_PORT_LINUX_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

// Once the kernel has refused a mapping or a thread with this error: what comes from now on is not locked, so asking again may
// help. False where that cannot have been the reason.
bool linux_memory_relent(int error);
// As mmap without an address, all of it there at once where memory was to be locked and could not; NULL when there is none.
void *linux_memory_of(size_t bytes, int flags);

#endif
