// SPDX-License-Identifier: MIT OR Apache-2.0
// Functions that the programs of the image with processes share. These programs run in the kernel and start processes.
#ifndef DETENT_PROGRAMS_PROCESSES_H
#define DETENT_PROGRAMS_PROCESSES_H

#include "programs/programs.h"

struct process;

int kernel_figures_run(int count, char **arguments);
int process_figures_run(int count, char **arguments);
int process_churn_run(int count, char **arguments);
int process_fuzz_run(int count, char **arguments);
int process_sweep_run(int count, char **arguments);
int process_tables_run(int count, char **arguments);
int processes_run(int count, char **arguments);
int start_run(int count, char **arguments);

// Prepares processes at its first call. If this machine does not support them, prints a line with the reason and returns false.
bool processes_ready(void);
// Starts a program that may use the SYSINTRs in `interrupts`, one bit each. NULL if the program could not be started. The caller
// closes the process.
struct process *process_begin(const char *program, const char *command, uint64_t interrupts);
// Runs a program to its end and sets *exit_code. False if it could not be started.
bool process_finish(const char *program, const char *command, DWORD *exit_code);
bool process_finish_permitted(const char *program, const char *command, uint64_t interrupts, DWORD *exit_code);

#endif
