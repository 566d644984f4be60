/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See train.h. */
#include "train.h"

/* SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/*
 * An exponentially distributed number with the given mean, by von Neumann's comparisons (1951): the length of a
 * descending run of uniform numbers decides whether the run's first number is accepted as the fraction. Exact except
 * for the 64-bit fraction, without floating point. Each round accepts with probability 1 - 1/e.
 */
static uint64_t random_exponential(uint64_t *state, uint64_t mean)
{
    for (uint64_t whole = 0;; whole++) {
        uint64_t first = random_next(state), last = first, next;
        unsigned run = 1;
        while ((next = random_next(state)) < last) {
            last = next;
            run++;
        }
        if (run % 2 == 1)
            return whole * mean + (uint64_t)(((unsigned __int128)first * mean) >> 64);
    }
}

/* Each pulse is displaced from its own regular place, so the displacements do not add up. */
static uint64_t jittered_gap(struct train *train)
{
    uint64_t before = train->place_instructions;
    uint64_t choices = train->jitter_instructions + 1;
    train->place_instructions = (uint64_t)(((unsigned __int128)random_next(&train->random) * choices) >> 64);
    return train->period_instructions + train->place_instructions - before;
}

static uint64_t multiple_after(uint64_t period, uint64_t at)
{
    return (at / period + 1) * period;
}

static uint64_t two_tone_gap(struct train *train)
{
    uint64_t before = train->place_instructions;
    uint64_t one = multiple_after(train->period_instructions, before);
    uint64_t other = multiple_after(train->second_instructions, before);
    uint64_t gap = (one < other ? one : other) - before;
    gap = gap < SHORTEST_GAP_INSTRUCTIONS ? SHORTEST_GAP_INSTRUCTIONS : gap;
    train->place_instructions += gap;
    return gap;
}

/* The frequency at pulse n of N lies on the line from 1/p to 1/q, so the period is pq(N-1) / (q(N-1) + (p-q)n). */
static uint64_t ramp_period(const struct train *train, uint64_t sequence)
{
    uint64_t steps = train->pulses > 1 ? train->pulses - 1 : 1;
    __int128 p = (__int128)train->period_instructions, q = (__int128)train->last_period_instructions;
    return (uint64_t)(p * q * (__int128)steps / (q * (__int128)steps + (p - q) * (__int128)sequence));
}

static uint64_t gap_of_shape(struct train *train, uint64_t sequence)
{
    switch (train->shape) {
    case TRAIN_BURST:
        return (sequence + 1) % train->burst ? train->period_instructions : train->pause_instructions;
    case TRAIN_POISSON:
        return random_exponential(&train->random, train->period_instructions);
    case TRAIN_RAMP:
        return ramp_period(train, sequence);
    case TRAIN_MARK:
        return train->period_instructions + sequence * train->step_instructions;
    case TRAIN_JITTERED:
        return jittered_gap(train);
    case TRAIN_TWO_TONE:
        return two_tone_gap(train);
    case TRAIN_PERIODIC:
        break;
    }
    return train->period_instructions + train->step_instructions;
}

uint64_t train_gap(struct train *train, uint64_t sequence)
{
    uint64_t gap = gap_of_shape(train, sequence);
    uint64_t shortest = train->shape == TRAIN_MARK ? 1 : SHORTEST_GAP_INSTRUCTIONS;
    return gap < shortest ? shortest : gap;
}

uint64_t train_width(const struct train *train, uint64_t gap_instructions, uint64_t duty_ppm)
{
    uint64_t base = train->period_instructions < gap_instructions ? train->period_instructions : gap_instructions;
    uint64_t width = (uint64_t)((unsigned __int128)base * duty_ppm / 1000000);
    return width ? width : 1;
}
