// SPDX-License-Identifier: MIT OR Apache-2.0
// Many runs of a test, one for each seed, each in a process of its own: one that fails, crashes or hangs is one
// seed in the list, and the others go on. What the runs counted is summed.
#ifndef DETENT_RUNS_H
#define DETENT_RUNS_H

#include <stdbool.h>

// Random numbers of the run under way, the same for the same seed.
unsigned random_below(unsigned limit);

// Adds to a count of this program's, by its place among the names given to runs_main.
void runs_count(unsigned place, unsigned long more);

// Ends this run, from any thread of it. A failure has been printed before.
_Noreturn void runs_end(bool good);

struct runs {
    const char *test;         // for the report
    const char *const *names; // of the counts
    unsigned names_count;
    void (*run)(unsigned long seed); // must end in runs_end
    // Looks at the sums when all runs are over; false, with a line printed, when the runs covered too little.
    bool (*enough)(const unsigned long *counts);
};

// usage: FIRST COUNT [KNOWN ...]: the seeds from FIRST on; those known to fail are counted and do not count as failed.
// The exit code of the whole program.
int runs_main(const struct runs *runs, int count, char **arguments);

#endif
