/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compares pulse trains with known results. */
#include "train.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "FAIL %s:%d: %s\n", __FILE__, __LINE__, #condition); \
            exit(EXIT_FAILURE); \
        } \
    } while (0)

static void a_periodic_train_advances_by_period_and_step(void)
{
    struct train train = {.shape = TRAIN_PERIODIC, .period_instructions = 1000, .step_instructions = 1};
    CHECK(train_gap(&train, 0) == 1001);
    CHECK(train_gap(&train, 999) == 1001);
}

static void a_burst_pauses_after_its_last_pulse(void)
{
    struct train train = {.shape = TRAIN_BURST, .period_instructions = 10, .pause_instructions = 500, .burst = 3};
    const uint64_t expected[] = {10, 10, 500, 10, 10, 500};
    for (uint64_t i = 0; i < 6; i++)
        CHECK(train_gap(&train, i) == expected[i]);
}

static void a_ramp_is_linear_in_frequency_and_ends_at_its_last_period(void)
{
    struct train train = {
        .shape = TRAIN_RAMP, .period_instructions = 1000, .last_period_instructions = 100, .pulses = 11};
    CHECK(train_gap(&train, 0) == 1000);
    CHECK(train_gap(&train, 10) == 100);
    /* Half-way the frequency is the mean of 1/1000 and 1/100, so the period is 2000/11. */
    CHECK(train_gap(&train, 5) == 2000 / 11);
}

static void a_mark_train_sweeps_one_offset_a_mark(void)
{
    struct train train = {.shape = TRAIN_MARK, .period_instructions = 1, .step_instructions = 1};
    CHECK(train_gap(&train, 0) == 1);
    CHECK(train_gap(&train, 41) == 42);
}

/* The distribution's mean, and the shares above one and three means, must be within five standard errors. */
static void a_poisson_train_is_exponential(void)
{
    enum { COUNT = 1000000, MEAN = 1000000 };
    struct train train = {.shape = TRAIN_POISSON, .period_instructions = MEAN, .random = 7};
    double sum = 0, above_one = 0, above_three = 0;
    for (uint64_t i = 0; i < COUNT; i++) {
        uint64_t gap = train_gap(&train, i);
        sum += (double)gap;
        above_one += gap > MEAN;
        above_three += gap > 3 * (uint64_t)MEAN;
    }
    CHECK(fabs(sum / COUNT / MEAN - 1) < 0.005);
    CHECK(fabs(above_one / COUNT - exp(-1)) < 0.0025);
    CHECK(fabs(above_three / COUNT - exp(-3)) < 0.0012);
}

/* All displacements must be about equally frequent, and none may shift later pulses. */
static void a_jittered_train_keeps_its_grid(void)
{
    enum { COUNT = 100000, PERIOD = 1000, JITTER = 9 };
    struct train train = {
        .shape = TRAIN_JITTERED, .period_instructions = PERIOD, .jitter_instructions = JITTER, .random = 3};
    uint64_t at = 0, met[JITTER + 1] = {0};
    for (uint64_t i = 0; i < COUNT; i++) {
        at += train_gap(&train, i);
        uint64_t displaced = at - (i + 1) * PERIOD;
        CHECK(displaced <= JITTER);
        met[displaced]++;
    }
    for (int i = 0; i <= JITTER; i++)
        CHECK(met[i] > COUNT / (JITTER + 1) - 500 && met[i] < COUNT / (JITTER + 1) + 500);
}

static void two_tones_have_the_pulses_of_both_and_one_where_they_meet(void)
{
    struct train train = {.shape = TRAIN_TWO_TONE, .period_instructions = 300, .second_instructions = 500};
    const uint64_t expected[] = {300, 200, 100, 300, 100, 200, 300, 300};
    for (uint64_t i = 0; i < 8; i++)
        CHECK(train_gap(&train, i) == expected[i]);
    struct train close = {.shape = TRAIN_TWO_TONE, .period_instructions = 100, .second_instructions = 101};
    CHECK(train_gap(&close, 0) == 100 && train_gap(&close, 1) == SHORTEST_GAP_INSTRUCTIONS);
    CHECK(train_gap(&close, 2) == 98);
}

static void the_same_seed_gives_the_same_train(void)
{
    struct train one = {.shape = TRAIN_POISSON, .period_instructions = 5000, .random = 42};
    struct train same = one, other = one;
    other.random = 43;
    uint64_t differences = 0;
    for (uint64_t i = 0; i < 1000; i++) {
        uint64_t gap = train_gap(&one, i);
        CHECK(gap == train_gap(&same, i));
        differences += gap != train_gap(&other, i);
    }
    CHECK(differences > 900);
}

static void a_pulse_ends_before_the_next_begins(void)
{
    struct train train = {.shape = TRAIN_POISSON, .period_instructions = 1000};
    CHECK(train_width(&train, 1000, 200000) == 200);
    CHECK(train_width(&train, 100000, 200000) == 200);
    CHECK(train_width(&train, 10, 200000) == 2);
    CHECK(train_width(&train, 2, 999999) == 1);
    CHECK(train_width(&train, 2, 1) == 1);
}

static void the_largest_values_do_not_overflow(void)
{
    uint64_t longest = (uint64_t)1 << 40;
    struct train train = {
        .shape = TRAIN_RAMP, .period_instructions = longest, .last_period_instructions = longest, .pulses = UINT32_MAX};
    CHECK(train_gap(&train, UINT32_MAX - 1) == longest);
    CHECK(train_width(&train, longest, 999999) < longest);
}

int main(void)
{
    a_periodic_train_advances_by_period_and_step();
    a_burst_pauses_after_its_last_pulse();
    a_ramp_is_linear_in_frequency_and_ends_at_its_last_period();
    a_mark_train_sweeps_one_offset_a_mark();
    a_poisson_train_is_exponential();
    a_jittered_train_keeps_its_grid();
    two_tones_have_the_pulses_of_both_and_one_where_they_meet();
    the_same_seed_gives_the_same_train();
    a_pulse_ends_before_the_next_begins();
    the_largest_values_do_not_overflow();
    puts("PASS train: 10 tests");
    return EXIT_SUCCESS;
}
