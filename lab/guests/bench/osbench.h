/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* osbench in a guest: the rows of probe/measure/operation_table.c, with the 2002 tool's words. */
#ifndef BENCH_OSBENCH_H
#define BENCH_OSBENCH_H

#include "../../../probe/operation.h"
#include "../../../probe/plan.h"

#define OSBENCH_CHOSEN_MAX 16 /* tests named with -t */

struct osbench {
    bool all, list, every, help;
    const char *chosen[OSBENCH_CHOSEN_MAX]; /* ids or rows */
    unsigned chosen_count;
    const char *samples; /* as typed; the probe's own plan reads it */
    const char *mark;    /* as the plan wants it, or NULL */
    unsigned measured;   /* rows that were */
    unsigned failed;     /* rows that could not be, or not to their end */
};

/* Reads the words behind the program's name, words[0]; false, with one line printed, when one is wrong. */
bool osbench_read(struct osbench *asked, int count, char **words);
/* Measures, lists or explains what was asked for; false when no row could be measured. What the system lacks or refuses is told. */
bool osbench_run(struct osbench *asked);

/* The system's own. */

/* Why this system lacks the row, though it has what the row is done with; NULL: it does not. */
const char *system_lacks(const struct operation *of);
/* Measures the row; false, with one line printed, when it cannot. */
bool system_measure(const struct osbench *asked, const struct operation *of, const struct plan *plan);

#endif
