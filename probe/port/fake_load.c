// SPDX-License-Identifier: MIT OR Apache-2.0
// Fake: what only loads need. Memory is real; there is no screen, disk or network (without.c).
#include "port.h"

#include <stdlib.h>

void *port_memory_map(size_t bytes)
{
    return calloc(1, bytes);
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
