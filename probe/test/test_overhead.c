// SPDX-License-Identifier: MIT OR Apache-2.0
// The clock's own cost, on clocks whose cost is known.
#include "check.h"

#include "../port/port.h"
#include "../overhead.h"

static uint64_t now;
static uint64_t reads;
static uint64_t (*cost)(uint64_t read);

uint64_t port_clock_read(void)
{
    now += cost(reads++);
    return now;
}

static uint64_t constant(uint64_t read)
{
    (void)read;
    return 24;
}

// The cost of a pair cycles through 20, 40, 60 … 200; one pair in 5,000 is interrupted and costs a million.
static uint64_t varied(uint64_t read)
{
    uint64_t pair = read / 2;

    return pair % 5000 == 4999 ? 1000000 : 20 * (pair % 10 + 1);
}

static uint64_t standing(uint64_t read)
{
    (void)read;
    return 0;
}

static struct overhead measure(uint64_t (*clock)(uint64_t read))
{
    struct overhead overhead;

    cost = clock;
    reads = 0;
    overhead_measure(&overhead);
    return overhead;
}

static void a_constant_clock_has_one_cost(void)
{
    struct overhead overhead = measure(constant);

    CHECK(overhead.min_cycles == 24 && overhead.median_cycles == 24 && overhead.p999_cycles == 24);
    CHECK(overhead.max_cycles == 24 && overhead.resolution_cycles == 24);
}

static void quantiles_and_resolution_of_a_varied_clock_are_exact(void)
{
    struct overhead overhead = measure(varied);

    CHECK(overhead.min_cycles == 20 && overhead.median_cycles == 100 && overhead.p999_cycles == 200);
    CHECK(overhead.max_cycles == 1000000 && overhead.resolution_cycles == 20);
}

static void a_clock_that_stands_still_has_no_resolution(void)
{
    struct overhead overhead = measure(standing);

    CHECK(overhead.max_cycles == 0 && overhead.resolution_cycles == 0);
}

int main(void)
{
    TEST(a_constant_clock_has_one_cost);
    TEST(quantiles_and_resolution_of_a_varied_clock_are_exact);
    TEST(a_clock_that_stands_still_has_no_resolution);
    return 0;
}
