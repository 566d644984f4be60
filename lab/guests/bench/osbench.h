/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* osbench in a guest: the rows of probe/measure/operation_table.c, with the command-line options of the 2002 tool. */
#ifndef BENCH_OSBENCH_H
#define BENCH_OSBENCH_H

#include "../../../probe/operation.h"
#include "../../../probe/plan.h"

#define OSBENCH_CHOSEN_MAX 16 /* tests named with -t */

struct osbench {
    bool all, list, every, help;
    const char *chosen[OSBENCH_CHOSEN_MAX]; /* ids or rows */
    unsigned chosen_count;
    const char *samples; /* as typed; the probe's plan parser reads it */
    const char *mark;    /* as the plan's parser expects it, or NULL */
    unsigned measured;   /* rows that were measured */
    unsigned failed;     /* rows that could not be measured, or not completely */
};

/* Reads the words after the program's name, words[0]. If one is wrong, prints one line and returns false. */
bool osbench_read(struct osbench *asked, int count, char **words);
/*
 * Measures or lists the chosen rows, or prints the help; false if no row could be measured. Prints which rows the system lacks or
 * refuses.
 */
bool osbench_run(struct osbench *asked);

/* The guest's own functions. */

/* Why this system cannot measure the row although it has the row's operations; NULL: it can. */
const char *system_lacks(const struct operation *of);
/* Measures the row; if it cannot, prints one line and returns false. */
bool system_measure(const struct osbench *asked, const struct operation *of, const struct plan *plan);

#endif
