// SPDX-License-Identifier: MIT OR Apache-2.0
// Fake: functions that only loads need. Memory is real; there is no screen, disk or network (without.c).
#include "port.h"

#include <stdlib.h>
#include <string.h>

#define FAKE_PAGE_BYTES 4096u

void *port_memory_map(size_t bytes)
{
    size_t whole = (bytes + FAKE_PAGE_BYTES - 1) / FAKE_PAGE_BYTES * FAKE_PAGE_BYTES;
    void *memory = aligned_alloc(FAKE_PAGE_BYTES, whole);

    return memory ? memset(memory, 0, whole) : NULL;
}

void port_memory_unmap(void *memory, size_t bytes)
{
    (void)bytes;
    free(memory);
}

void port_system_call(uint64_t turn)
{
    (void)turn;
}
