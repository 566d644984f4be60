// SPDX-License-Identifier: MIT OR Apache-2.0
// memory: copies blocks far larger than the caches, so that the memory bus is busy.
#include "../load.h"
#include "../port/port.h"

#include <string.h>

#define MEMORY_BYTES (32u << 20) // copied to a second area of the same size
#define MEMORY_STEP_BYTES (1u << 20)

static void memory_run(struct load_run *run, unsigned which)
{
    unsigned char *block = port_memory_map(2 * MEMORY_BYTES);

    if (!block) {
        load_fail(run, "load memory: no 64 MiB of memory");
        return;
    }
    memset(block, (int)which + 1, 2 * MEMORY_BYTES);
    for (size_t at = 0; !load_stopped(run); at = (at + MEMORY_STEP_BYTES) % MEMORY_BYTES) {
        memcpy(block + MEMORY_BYTES + at, block + at, MEMORY_STEP_BYTES);
        load_count(run, 1);
    }
}

const struct load load_memory = {
    .name = "memory",
    .unit = "mebibytes",
    .summary = "copies 32 MiB onto 32 MiB",
    .threads = 1,
    .run = memory_run,
};
