// SPDX-License-Identifier: MIT OR Apache-2.0
// Each turn of the loop spins and reads the clock, also during the calibration. So the calibrated time includes the
// clock reads.
#include "work.h"

#include "../counts.h"
#include "../port/tasks.h"

#define TURN_SPINS 200u     // limits the exactness of a computation: a third of a microsecond on a modern CPU
#define CALIBRATE_TRIES 40u // the shortest try counts: interrupts lengthen a try, and nothing shortens it
#define CALIBRATE_EQUAL 3u  // stop after this many tries that equal the shortest
#define CALIBRATE_NS 1000000u

static uint64_t work_turn(void)
{
    volatile uint64_t sink = 1; // volatile, so that the compiler cannot compute the result
    uint64_t state = sink;

    for (uint32_t i = 0; i < TURN_SPINS; i++)
        state = state * 6364136223846793005u + 1442695040888963407u; // each step depends on the one before
    sink = state;
    return port_clock_read();
}

static bool work_is_over(const struct work *work, uint64_t now)
{
    return now >= work->give_up_at || now >= *work->end_at;
}

// The loop that jobs and the calibration share. Returns the last clock count that it read; 0 if it was given up.
__attribute__((noinline)) static uint64_t work_spin(const struct work *work, uint64_t turns)
{
    uint64_t now = 1;

    for (; turns > 0; turns--) {
        now = work_turn();
        if (work_is_over(work, now))
            return 0;
    }
    return now;
}

static uint64_t work_time(uint64_t turns)
{
    static const _Atomic uint64_t never = UINT64_MAX;
    const struct work endless = {.end_at = &never, .give_up_at = UINT64_MAX};
    uint64_t begin = port_clock_read();

    return work_spin(&endless, turns) - begin;
}

struct work_rate work_calibrate(void)
{
    struct work_rate rate = {.turns = 1, .counts = work_time(1)};

    while (rate.counts < counts_of_ns(CALIBRATE_NS)) {
        rate.turns *= 2;
        rate.counts = work_time(rate.turns);
    }
    for (uint32_t tries = 0, equal = 0; tries < CALIBRATE_TRIES && equal < CALIBRATE_EQUAL; tries++) {
        uint64_t counts = work_time(rate.turns);

        equal = counts < rate.counts ? 0 : equal + (counts == rate.counts);
        rate.counts = counts < rate.counts ? counts : rate.counts;
    }
    return rate;
}

// Converts the whole multiples of rate->counts and the rest separately, so that no product overflows.
static uint64_t work_turns(const struct work_rate *rate, uint64_t ns)
{
    uint64_t counts = counts_of_ns(ns);

    return counts / rate->counts * rate->turns + counts % rate->counts * rate->turns / rate->counts;
}

uint64_t work_turns_per_ms(const struct work_rate *rate)
{
    return work_turns(rate, 1000000u);
}

static bool work_by_time(const struct work *work, uint64_t ns)
{
    uint64_t begin_ns = port_thread_cpu_ns();

    while (port_thread_cpu_ns() - begin_ns < ns) {
        if (work_is_over(work, work_turn()))
            return false;
    }
    return true;
}

bool work_do(const struct work *work, uint64_t ns)
{
    return work->rate ? work_spin(work, work_turns(work->rate, ns)) != 0 : work_by_time(work, ns);
}
