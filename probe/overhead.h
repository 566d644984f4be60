// SPDX-License-Identifier: MIT OR Apache-2.0
// overhead.h — what one clock read costs here, measured before anything else.
#ifndef BACKWALL_PROBE_OVERHEAD_H
#define BACKWALL_PROBE_OVERHEAD_H

#include <stdint.h>

#define OVERHEAD_READS 100000u
#define OVERHEAD_BINS 4096u // larger differences are counted in the last bin

struct overhead {
    uint64_t min_cycles;
    uint64_t median_cycles;
    uint64_t p999_cycles;
    uint64_t max_cycles;
    uint64_t resolution_cycles; // greatest common divisor of all differences that are not 0
};
void overhead_measure(struct overhead *overhead);

#endif
