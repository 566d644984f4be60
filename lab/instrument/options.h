/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The instrument's options: the `key=value` arguments of QEMU's -plugin option. FORMAT.md lists them. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "train.h"

enum { GENERATORS = 2 };

struct generator_options {
    bool used;
    struct train train;
    uint64_t warmup;             /* how many of the first pulses are flagged as warm-up */
    uint64_t duty_ppm;           /* 1 to 999,999 */
    uint64_t start_instructions; /* instant at which the generator starts; 0: when the guest arms the port */
    uint64_t delay_instructions; /* delay from arming to the first pulse; default: the period */
    uint64_t armed_instructions; /* in a continued run: instant at which the guest armed the port; 0: it has not */
    uint64_t data, control;      /* contents of the port's registers at that instant */
    uint64_t mark_bit;           /* mark: number of the bit that the guest raises in the port's data register, 0 to 7 */
};

struct options {
    struct generator_options generators[GENERATORS]; /* generators A and B */
    const char *edges_path;
    const char *channel_path;   /* NULL: bytes are counted and not kept */
    const char *hold_path;      /* NULL: the machine is not held */
    const char *trail_path;     /* NULL: no trail is recorded */
    const char *stretches_path; /* NULL: intervals with interrupts masked are not recorded */
    const char *pause_path;     /* the debugger's socket: the machine stops at trail-from; NULL: no debugger */
    uint64_t stretches_least_instructions;
    uint64_t trail_from_instructions, trail_to_instructions;
    uint64_t channel_limit_bytes;
    uint64_t tail_instructions;
    uint64_t limit_instructions; /* 0: no limit */
    uint64_t addresses;          /* 1: annotate each pulse with the address that it interrupted */
    uint64_t count;              /* 1: count heavy instructions */
    uint64_t modes;              /* 1: count instructions by mode */
    uint64_t pci;                /* 1: generator A pulses on the PCI device's interrupt */
    uint64_t resume;             /* 1: continue a run: append edges and bytes to the files */
};

/*
 * Reads the arguments. The strings still belong to the caller. If an argument is wrong, prints one line on standard error and
 * returns false.
 */
bool options_parse(struct options *options, int count, char **arguments);

#endif
