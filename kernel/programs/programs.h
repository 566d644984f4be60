// SPDX-License-Identifier: MIT OR Apache-2.0
// The programs that the prompt and the loader's command line can run. Each is a file and a line in the table.
#ifndef DETENT_PROGRAMS_H
#define DETENT_PROGRAMS_H

#include "detent.h"

#define PROGRAMS_PRIORITY 100 // priority of the prompt's thread (prompt.h), which runs programs
#define ARGUMENTS_MAX 16

struct program {
    const char *name, *usage;
    int (*run)(int count, char **arguments); // returns 0 if it passed; arguments[0] is the name
};

extern const struct program programs[]; // defined in table.c
extern const size_t programs_count;

int app_test_run(int count, char **arguments);
int crash_run(int count, char **arguments);
int extremes_run(int count, char **arguments);
int figures_run(int count, char **arguments);
int hostile_run(int count, char **arguments);
int iltiming_run(int count, char **arguments);
int isr_test_run(int count, char **arguments);
int ist_test_run(int count, char **arguments);
int model_run(int count, char **arguments);
int polygons_run(int count, char **arguments);
int profiles_run(int count, char **arguments);
int selftest_run(int count, char **arguments);
int storm_test_run(int count, char **arguments);

#endif
