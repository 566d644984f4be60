// SPDX-License-Identifier: MIT OR Apache-2.0
// The cost of one clock read: the smallest interval that a measure can show.
//
// Every sample contains one such read. The run stores the cost, and nobody subtracts it. A linear histogram is exact
// for all but the largest differences, which are preemptions and not reads.
#include "overhead.h"

#include "port/port.h"

#include <string.h>

static uint32_t overhead_bins[OVERHEAD_BINS];

static uint64_t greatest_common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) { // at most 93 turns for 64 bits
        uint64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

// The smallest difference that at least `rank` differences do not exceed. If it is beyond the bins, the largest
// difference.
static uint64_t overhead_quantile(const struct overhead *overhead, uint64_t rank)
{
    uint64_t seen = 0;

    for (uint64_t cycles = 0; cycles < OVERHEAD_BINS - 1; cycles++) {
        seen += overhead_bins[cycles];
        if (seen >= rank)
            return cycles;
    }
    return overhead->max_cycles;
}

static void overhead_add(struct overhead *overhead, uint64_t cycles)
{
    overhead_bins[cycles < OVERHEAD_BINS ? cycles : OVERHEAD_BINS - 1]++;
    if (cycles < overhead->min_cycles)
        overhead->min_cycles = cycles;
    if (cycles > overhead->max_cycles)
        overhead->max_cycles = cycles;
    // Skip the computation once the divisor is found, so that every read costs the same: the lab counts the executed
    // instructions.
    if (overhead->resolution_cycles == 0 || cycles % overhead->resolution_cycles != 0)
        overhead->resolution_cycles = greatest_common_divisor(overhead->resolution_cycles, cycles);
}

void overhead_measure(struct overhead *overhead)
{
    *overhead = (struct overhead){.min_cycles = UINT64_MAX};
    memset(overhead_bins, 0, sizeof overhead_bins);
    for (uint32_t i = 0; i < OVERHEAD_READS; i++) {
        uint64_t first = port_clock_read();
        uint64_t second = port_clock_read();

        overhead_add(overhead, second - first);
    }
    overhead->median_cycles = overhead_quantile(overhead, OVERHEAD_READS / 2);
    overhead->p999_cycles = overhead_quantile(overhead, OVERHEAD_READS - OVERHEAD_READS / 1000);
}
