// SPDX-License-Identifier: MIT OR Apache-2.0
// cache: writes one byte of every line of a block larger than most last-level slices, so that others find nothing warm.
#include "../port/port.h"
#include "../probe.h"

#define CACHE_BYTES (16u << 20)
#define CACHE_LINE_BYTES 64u

void cache_run(struct load_run *run, unsigned which)
{
    volatile unsigned char *block = port_memory_map(CACHE_BYTES);

    if (!block) {
        loadrun_fail(run, "load cache: no 16 MiB of memory");
        return;
    }
    while (!loadrun_stopped()) {
        for (size_t i = which; i < CACHE_BYTES; i += CACHE_LINE_BYTES)
            block[i]++;
        loadrun_count(run, 1);
    }
}
