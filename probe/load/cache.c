// SPDX-License-Identifier: MIT OR Apache-2.0
// cache: writes one byte of every line of a block larger than most last-level cache slices, so that other programs find the
// caches cold.
#include "../load.h"
#include "../port/port.h"

#define CACHE_BYTES (16u << 20)
#define CACHE_LINE_BYTES 64u

static void cache_run(struct load_run *run, unsigned which)
{
    volatile unsigned char *block = port_memory_map(CACHE_BYTES);

    if (!block) {
        load_fail(run, "load cache: no 16 MiB of memory");
        return;
    }
    while (!load_stopped(run)) {
        for (size_t i = which; i < CACHE_BYTES; i += CACHE_LINE_BYTES)
            block[i]++;
        load_count(run, 1);
    }
}

const struct load load_cache = {
    .name = "cache",
    .unit = "sweeps",
    .summary = "writes one byte of every line of 16 MiB",
    .threads = 1,
    .run = cache_run,
};
