/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A pulse train: the distance of each pulse of a generator from the previous one.
 *
 * It uses integer arithmetic only, so that the same description gives the same pulses on every machine.
 */
#ifndef TRAIN_H
#define TRAIN_H

#include <stdbool.h>
#include <stdint.h>

/* The shortest distance between two pulses: one instruction high and one low. */
enum { SHORTEST_GAP_INSTRUCTIONS = 2 };

enum train_shape {
    TRAIN_PERIODIC, /* one pulse every period + step; a step makes it a vernier */
    TRAIN_BURST,    /* bursts of `burst` pulses, `pause` from the last pulse of one to the first of the next */
    TRAIN_POISSON,  /* exponentially distributed distances with mean `period` */
    TRAIN_RAMP,     /* frequency grows linearly from 1/period to 1/last_period over all pulses */
    TRAIN_MARK,     /* one pulse `period` + n * step after the guest's n-th mark */
    TRAIN_JITTERED, /* pulse n comes at n * period plus a random 0 to `jitter` */
    TRAIN_TWO_TONE, /* the pulses of two periodic trains that begin together; coinciding pulses are one */
};

struct train {
    enum train_shape shape;
    uint64_t period_instructions;      /* at least SHORTEST_GAP_INSTRUCTIONS, below 2^40 */
    uint64_t step_instructions;        /* periodic and mark: the vernier's step */
    uint64_t last_period_instructions; /* ramp: the period at the last pulse */
    uint64_t pause_instructions;       /* burst: from the last pulse of a burst to the next burst */
    uint64_t burst;                    /* burst: pulses per burst, at least 1 */
    uint64_t pulses;                   /* all pulses, warm-up included, below 2^32 */
    uint64_t jitter_instructions;      /* jittered: at most period - SHORTEST_GAP_INSTRUCTIONS */
    uint64_t second_instructions;      /* two-tone: the other train's period, at least SHORTEST_GAP_INSTRUCTIONS */
    uint64_t random;                   /* Poisson and jittered: the seed, then the random generator's state */
    uint64_t place_instructions; /* last pulse's offset: jittered from n * period, two-tone from the first pulse */
};

/* Distance from pulse `sequence` (from 0) to the next; for TRAIN_MARK from mark `sequence` to its pulse. */
uint64_t train_gap(struct train *train, uint64_t sequence);

/*
 * How long a pulse stays high: `duty_ppm` millionths (below 1,000,000) of the distance to the next pulse, or of the
 * period if that is shorter; at least one instruction.
 */
uint64_t train_width(const struct train *train, uint64_t gap_instructions, uint64_t duty_ppm);

#endif
