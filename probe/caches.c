// SPDX-License-Identifier: MIT OR Apache-2.0
// A program cannot flush the caches, so it fills them with other data. Data also displaces instructions from a second-level cache
// that holds both.
#include "caches.h"

#include "port/port.h"

#define CACHES_BLOCK_BYTES (4u << 20) // second-level caches of modern CPUs hold 0.25 to 3 MiB
#define CACHES_LINE_BYTES 64u

static volatile unsigned char *caches_block;

const char *caches_prepare(void)
{
    if (!caches_block)
        caches_block = port_memory_map(CACHES_BLOCK_BYTES);
    return caches_block ? NULL : "no 4 MiB of memory to sweep the caches with";
}

// Touches more memory than the L1 and L2 caches hold, so that the code that runs next finds none of its data there.
void caches_sweep(void)
{
    for (size_t i = 0; i < CACHES_BLOCK_BYTES; i += CACHES_LINE_BYTES)
        caches_block[i]++;
}
