// SPDX-License-Identifier: MIT OR Apache-2.0
// Many runs of a test, one for each seed, each in its own process. If a run fails, crashes or hangs, its seed is printed and the
// others continue. The counts of all runs are added.
#ifndef DETENT_RUNS_H
#define DETENT_RUNS_H

#include <stdbool.h>

// A random number of the current run, the same for the same seed.
unsigned random_below(unsigned limit);

// Adds to one of the program's counts; place is its index in the names given to runs_main.
void runs_count(unsigned place, unsigned long more);

// Ends the current run, from any of its threads. The caller has already printed a failure.
_Noreturn void runs_end(bool good);

struct runs {
    const char *test;         // name of the test in the report
    const char *const *names; // names of the counts
    unsigned names_count;
    void (*run)(unsigned long seed); // must end in runs_end
    // Checks the sums of the counts after all runs. If the runs covered too little, prints a line and returns false.
    bool (*enough)(const unsigned long *counts);
};

// usage: FIRST COUNT [KNOWN ...]: runs COUNT seeds from FIRST on; KNOWN seeds are expected to fail and do not count as failed.
// Returns the exit code of the program.
int runs_main(const struct runs *runs, int count, char **arguments);

#endif
