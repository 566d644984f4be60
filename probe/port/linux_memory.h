// SPDX-License-Identifier: MIT OR Apache-2.0
// linux_memory.h — maps memory and locks it; beyond the limit it stays unlocked.
#ifndef BACKWALL_PORT_LINUX_MEMORY_H
#define BACKWALL_PORT_LINUX_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

// Call it if the kernel refused a mapping or a thread with this error. The function stops locking future memory, so a
// retry may succeed. False if the lock cannot have been the reason.
bool linux_memory_relent(int error);
// Like mmap without an address. If memory should be locked but could not be, all pages are touched at once. NULL if
// there is no memory.
void *linux_memory_of(size_t bytes, int flags);

#endif
